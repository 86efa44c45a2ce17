/* SPDX-License-Identifier: MIT */
/* What the page gains by a script: tooltips, series that hide, the other scale, sorted tables. */
"use strict";
(function () {
  var doc = document;
  doc.documentElement.className = "js";

  /* Tooltips: the text of <title>, at once and styled. */
  var tip = doc.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  doc.body.appendChild(tip);
  function text_of(target) {
    var el = target.closest ? target.closest("svg *") : null;
    for (; el && el.nodeName !== "svg"; el = el.parentNode) {
      var title = el.firstElementChild;
      if (title && title.nodeName === "title") {
        el.setAttribute("data-tip", title.textContent);
        el.setAttribute("aria-label", title.textContent);
        el.removeChild(title);
      }
      if (el.hasAttribute("data-tip")) return el.getAttribute("data-tip");
    }
    return "";
  }
  doc.addEventListener("pointermove", function (e) {
    var text = text_of(e.target);
    tip.hidden = !text;
    if (!text) return;
    tip.textContent = text;
    tip.style.left = Math.max(4, Math.min(e.clientX + 12, innerWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = Math.max(4, e.clientY - tip.offsetHeight - 10) + "px";
  });
  doc.addEventListener("scroll", function () { tip.hidden = true; }, true);

  /* Series: a name hides and shows its marks in every panel of its figure. */
  function each(root, selector, fn) {
    Array.prototype.forEach.call(root.querySelectorAll(selector), fn);
  }
  function toggle(figure, name) {
    each(figure, "[data-series]", function (g) {
      if (g.getAttribute("data-series") === name)
        g.setAttribute("display", g.getAttribute("display") === "none" ? "inline" : "none");
    });
    each(figure, "[data-name]", function (label) {
      if (label.getAttribute("data-name") === name) label.classList.toggle("off");
    });
  }
  each(doc, "figure [data-name]", function (label) {
    label.setAttribute("tabindex", "0");
    label.setAttribute("role", "button");
    function act() { toggle(label.closest("figure"), label.getAttribute("data-name")); }
    label.addEventListener("click", act);
    label.addEventListener("keydown", function (e) {
      if (e.key === "Enter" || e.key === " ") { e.preventDefault(); act(); }
    });
  });

  /* The other scale: every element carries its second place in data-alt. */
  var moved = { circle: "cy", path: "d", text: "y" };
  function swap(figure) {
    each(figure, "[data-alt]", function (el) {
      var key = moved[el.nodeName], now = el.getAttribute(key);
      el.setAttribute(key, el.getAttribute("data-alt"));
      el.setAttribute("data-alt", now);
    });
    each(figure, ".am-y", function (g) {
      if (g.hasAttribute("display")) g.removeAttribute("display");
      else g.setAttribute("display", "none");
    });
  }
  each(doc, "figure", function (figure) {
    if (!figure.querySelector(".am-alt")) return;
    var button = doc.createElement("button");
    button.type = "button";
    button.textContent = "linear / log";
    button.addEventListener("click", function () { swap(figure); });
    figure.querySelector("figcaption").appendChild(button);
  });

  /* Tables: by the number of a cell where it has one, else by its text. */
  function value(row, i) {
    var cell = row.cells[i], v = cell ? cell.getAttribute("data-v") : null;
    return v === null ? (cell ? cell.textContent : "") : parseFloat(v);
  }
  function order(a, b) {
    if (typeof a === "number" && typeof b === "number") return a - b;
    if (typeof a === "number") return -1;
    if (typeof b === "number") return 1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  each(doc, "table.sortable", function (table) {
    each(table, "th", function (th, i) {
      th.classList.add("sort");
      th.setAttribute("tabindex", "0");
      th.addEventListener("keydown", function (e) {
        if (e.key === "Enter" || e.key === " ") { e.preventDefault(); th.click(); }
      });
      th.addEventListener("click", function () {
        var up = th.getAttribute("aria-sort") !== "ascending", body = table.tBodies[0];
        var rows = Array.prototype.slice.call(body.rows);
        rows.sort(function (a, b) { return (up ? 1 : -1) * order(value(a, i), value(b, i)); });
        each(table, "th", function (other) { other.removeAttribute("aria-sort"); });
        th.setAttribute("aria-sort", up ? "ascending" : "descending");
        rows.forEach(function (row) { body.appendChild(row); });
      });
    });
  });
})();
