/* SPDX-License-Identifier: MIT */
/* Trees by their children: a shape says how a node goes on, the walk is the same for all. */
#include "app/graph/trees.h"

enum { CHILDREN_MAX = 24 };

struct node {
    uint64_t name;              /* uts */
    uint32_t columns, up, down; /* queens: columns and diagonals that are taken */
    uint32_t left;              /* levels below it, at most */
};

/* A shape: its root for n, and the children of a node (room for CHILDREN_MAX). */
struct shape {
    const char *name;
    size_t usual, most; /* n */
    struct node (*root)(size_t n);
    size_t (*children)(const struct node *node, size_t n, struct node *out);
    uint64_t (*leaf)(const struct node *node); /* what a node without children adds to the answer */
};

/* ---- fib ---- */

static struct node fib_root(size_t n)
{
    return (struct node){.left = (uint32_t)n};
}

static size_t fib_children(const struct node *node, size_t n, struct node *out)
{
    (void)n;
    if (node->left < 2)
        return 0;
    out[0] = (struct node){.left = node->left - 1};
    out[1] = (struct node){.left = node->left - 2};
    return 2;
}

static uint64_t fib_leaf(const struct node *node)
{
    return node->left;
}

/* ---- queens ---- */

static struct node queens_root(size_t n)
{
    return (struct node){.left = (uint32_t)n};
}

static size_t queens_children(const struct node *node, size_t n, struct node *out)
{
    const uint32_t all = (UINT32_C(1) << n) - 1;
    uint32_t free = all & ~(node->columns | node->up | node->down);
    size_t k = 0;

    if (node->left == 0)
        return 0;
    while (free) {
        const uint32_t queen = free & (~free + 1);

        free ^= queen;
        out[k++] = (struct node){.columns = node->columns | queen,
                                 .up = (node->up | queen) << 1 & all,
                                 .down = (node->down | queen) >> 1,
                                 .left = node->left - 1};
    }
    return k;
}

static uint64_t queens_leaf(const struct node *node)
{
    return node->left == 0;
}

/* ---- uts ---- */

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static struct node uts_root(size_t n)
{
    return (struct node){.name = 19, .left = (uint32_t)n};
}

/* Geometric: each further child comes with a probability of four fifths, so that four are the mean.
 */
static size_t uts_children(const struct node *node, size_t n, struct node *out)
{
    uint64_t draw = mix(node->name);
    size_t k = 0;

    (void)n;
    while (node->left && k < CHILDREN_MAX && draw % 5 != 0) {
        out[k] = (struct node){.name = mix(node->name * 31 + k + 1), .left = node->left - 1};
        k++;
        draw = mix(draw + k);
    }
    return k;
}

static uint64_t uts_leaf(const struct node *node)
{
    (void)node;
    return 1;
}

/* ---- all ---- */

static const struct shape shapes[] = {
    {"fib", 24, 40, fib_root, fib_children, fib_leaf},
    {"queens", 9, 15, queens_root, queens_children, queens_leaf},
    {"uts", 8, 12, uts_root, uts_children, uts_leaf},
};
const char *const am_tree_names[] = {"fib", "queens", "uts", NULL};

size_t am_tree_usual(size_t shape)
{
    return shapes[shape].usual;
}

size_t am_tree_most(size_t shape)
{
    return shapes[shape].most;
}

/* The children of one node on their way. */
struct branch {
    const struct am_trees *trees;
    struct node children[CHILDREN_MAX];
    struct am_tree_sum sums[CHILDREN_MAX];
};

static struct am_tree_sum visit(const struct am_trees *t, const struct node *node);

static void visit_child(void *app, size_t child)
{
    struct branch *const b = app;

    b->sums[child] = visit(b->trees, &b->children[child]);
}

static struct am_tree_sum visit(const struct am_trees *t, const struct node *node)
{
    const struct shape *const shape = &shapes[t->shape];
    struct branch b = {.trees = t};
    const size_t n = shape->children(node, t->n, b.children);
    const struct am_blocks loop = {.count = n, .app = &b, .run = visit_child};
    struct am_tree_sum sum = {.answer = n ? 0 : shape->leaf(node), .nodes = 1};

    if (t->executor && node->left > t->cutoff && n > 0)
        t->executor->run(t->self, &loop, 1);
    else
        for (size_t i = 0; i < n; i++)
            visit_child(&b, i);
    for (size_t i = 0; i < n; i++) {
        sum.answer += b.sums[i].answer;
        sum.nodes += b.sums[i].nodes;
    }
    return sum;
}

struct am_tree_sum am_trees_walk(const struct am_trees *trees)
{
    const struct node root = shapes[trees->shape].root(trees->n);

    return visit(trees, &root);
}

bool am_trees_known(const struct am_trees *trees, uint64_t *answer)
{
    static const uint64_t solutions[] = {1,  1,   0,   0,    2,     10,    4,      40,
                                         92, 352, 724, 2680, 14200, 73712, 365596, 2279184};
    uint64_t a = 0, b = 1;

    if (shapes[trees->shape].leaf == queens_leaf) {
        *answer = solutions[trees->n];
        return true;
    }
    if (shapes[trees->shape].leaf != fib_leaf)
        return false;
    for (size_t i = 0; i < trees->n; i++) {
        const uint64_t next = a + b;

        a = b;
        b = next;
    }
    *answer = a;
    return true;
}
