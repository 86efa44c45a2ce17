# SPDX-License-Identifier: MIT
"""What a delivery contains, for those who must know: licences, a bill of materials, checksums.

Every library that is handed on stands in LICENCES, with the terms its own documentation states; a library that does
not stand there stops the delivery, so that nothing is handed on whose licence nobody looked at. GPL libraries without
an exception may not stand there: `-Dgpl=disabled` builds without them."""

import hashlib
import json
import re
import subprocess
from pathlib import Path

# Library as the loader names it, without versions -> licence as SPDX writes it. LGPL libraries are separate files that a
# user may replace; their terms travel in licences/.
LICENCES = {
    "libhwloc": "BSD-3-Clause",
    "libsqlite3": "blessing",
    "libudev": "LGPL-2.1-or-later",
    "libOpenCL": "BSD-2-Clause",
    "libsleef": "BSL-1.0",
    "libomp": "Apache-2.0 WITH LLVM-exception",
    "libgomp": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libstdc++": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libtbb": "Apache-2.0",
    "libgfortran": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libquadmath": "LGPL-2.1-or-later",
    "libgcc_s": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libcap": "BSD-3-Clause OR GPL-2.0-only",
    "libz": "Zlib",
    "libZydis": "MIT",
    "libcapstone": "BSD-3-Clause",
    "libZycore": "MIT",
}


def licence_of(library: str) -> str | None:
    """Of a file name such as libgomp.so.1; None where nobody has looked."""
    return LICENCES.get(library.split(".so")[0])


def refuse_unlisted(libraries: list[Path]) -> None:
    unlisted = sorted(path.name for path in libraries if licence_of(path.name) is None)
    if unlisted:
        raise SystemExit(f"nobody has looked at the licence of {', '.join(unlisted)}: see tools/sbom.py")


def debian_package(library: str | Path) -> tuple[str, str]:
    """Name and version of the package that a file is from; empty where no dpkg knows it."""
    path = Path(library)
    for name in (str(path), str(path.resolve())):
        asked = _output("dpkg-query", "-S", name)
        package = asked.split(":")[0].strip()
        if package:
            return package, _output("dpkg-query", "-W", "-f=${Version}", package)
    return "", ""


def _output(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        return ""


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _identifier(name: str) -> str:
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def _package(name: str, version: str, licence: str, files: list[Path], root: Path) -> dict:
    return {
        "SPDXID": _identifier(name),
        "name": name,
        "versionInfo": version or "unknown",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        "comment": "files: " + ", ".join(str(path.relative_to(root)) for path in files),
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest(path)} for path in files],
    }


def write_bill(root: Path, version: str, created: str, programs: list[Path],
               origins: dict[Path, Path]) -> Path:
    """SPDX 2.3 as JSON: the programs as one package, every library as one; `origins` says where a library came from."""
    packages = [_package("archmeter", version, "MIT", programs, root)]
    for path, origin in sorted(origins.items()):
        name, release = debian_package(origin)
        packages.append(_package(path.name, f"{name} {release}".strip(), licence_of(path.name) or "NOASSERTION", [path], root))
    bill = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"archmeter-{version}",
        "documentNamespace": f"urn:archmeter:sbom:{version}:{digest(programs[0])[:16]}",
        "creationInfo": {"created": created, "creators": ["Tool: archmeter tools/sbom.py"]},
        "packages": packages,
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
             "relatedSpdxElement": _identifier("archmeter")},
            *({"spdxElementId": _identifier("archmeter"), "relationshipType": "DEPENDS_ON",
               "relatedSpdxElement": package["SPDXID"]} for package in packages[1:]),
        ],
    }
    place = root / "sbom.spdx.json"
    place.write_text(json.dumps(bill, indent=1) + "\n")
    return place


def write_checksums(root: Path) -> Path:
    """As `sha256sum -c SHA256SUMS` reads them, of every file but itself."""
    place = root / "SHA256SUMS"
    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink() and path != place)
    place.write_text("".join(f"{digest(path)}  {path.relative_to(root)}\n" for path in files))
    return place
