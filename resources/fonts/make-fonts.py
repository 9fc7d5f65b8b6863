#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the shipped fonts from Debian's fonts-inter and fonts-jetbrains-mono (needs python3-fonttools).

"Fettle Inter" is Inter with tabular figures put in place of the proportional ones, because Qt before 6.7 cannot ask
a font for them and live numbers would jitter. "Fettle Mono" is JetBrains Mono without ligatures, so that code is
shown as it is written. Both are cut to the scripts below and renamed, so that they never mix with installed fonts.
The result depends on the input files only.

    resources/fonts/make-fonts.py [OUTPUT_FOLDER]
"""
import os
import sys

os.environ["SOURCE_DATE_EPOCH"] = "0"
from fontTools import subset, ttLib  # noqa: E402  (reads SOURCE_DATE_EPOCH when imported)

INTER = "/usr/share/fonts/opentype/inter/Inter-%s.otf"
MONO = "/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-%s.ttf"
FONTS = [(INTER % w, "Fettle Inter", w, ["tnum"]) for w in ("Regular", "Medium", "SemiBold", "Bold")]
FONTS += [(MONO % w, "Fettle Mono", w, []) for w in ("Regular", "Bold")]

# Latin with its extensions, Greek, Cyrillic, punctuation, currency, letterlike, arrows, mathematics, boxes, shapes.
RANGES = [(0x20, 0x24F), (0x2B0, 0x36F), (0x370, 0x3FF), (0x400, 0x52F), (0x1E00, 0x1EFF), (0x2000, 0x209F),
          (0x20A0, 0x20BF), (0x2100, 0x21FF), (0x2200, 0x22FF), (0x2300, 0x23FF), (0x2500, 0x25FF), (0xFFFD, 0xFFFD)]
KEEP = ["kern", "mark", "mkmk", "ccmp", "locl"]  # no calt, liga: "->" and "3x3" stay as they are


def freeze(font, feature):
    """Points every character at the glyph that `feature` would put in its place."""
    gsub = font["GSUB"].table
    lookups = {i for r in gsub.FeatureList.FeatureRecord if r.FeatureTag == feature for i in r.Feature.LookupListIndex}
    mapping = {}
    for index in sorted(lookups):
        for table in gsub.LookupList.Lookup[index].SubTable:
            table = getattr(table, "ExtSubTable", table)
            mapping.update(table.mapping)
    for table in font["cmap"].tables:
        if table.isUnicode():
            table.cmap = {code: mapping.get(glyph, glyph) for code, glyph in table.cmap.items()}
    glyphs = [font.getBestCmap()[ord(digit)] for digit in "0123456789"]
    widths = [font["hmtx"][glyph][0] for glyph in glyphs]
    assert max(widths) - min(widths) <= 8, "figures are not tabular: %s" % widths  # rounding of 2816ths of an em
    for glyph in glyphs:
        font["hmtx"][glyph] = (max(widths), font["hmtx"][glyph][1])


def rename(font, family, weight):
    ribbi = weight in ("Regular", "Bold")
    names = {1: family if ribbi else "%s %s" % (family, weight), 2: weight if ribbi else "Regular",
             3: "fettle:%s-%s" % (family.replace(" ", ""), weight), 4: "%s %s" % (family, weight),
             6: "%s-%s" % (family.replace(" ", ""), weight)}
    if not ribbi:
        names[16], names[17] = family, weight
    table = font["name"]
    kept = [r for r in table.names if r.nameID in (0, 5, 13, 14)]  # copyright, version, licence
    table.names = kept
    for number, text in names.items():
        table.setName(text, number, 3, 1, 0x409)
    if "CFF " in font:
        cff = font["CFF "].cff
        cff.fontNames = [names[6]]
        cff.topDictIndex[0].FamilyName, cff.topDictIndex[0].FullName = family, names[4]


def make(source, family, weight, features, folder):
    font = ttLib.TTFont(source, recalcTimestamp=False)
    for feature in features:
        freeze(font, feature)
    options = subset.Options(layout_features=KEEP, name_IDs=["*"], hinting=False, notdef_outline=True)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=[c for low, high in RANGES for c in range(low, high + 1)])
    cutter.subset(font)
    rename(font, family, weight)
    path = os.path.join(folder, "%s-%s%s" % (family.replace(" ", ""), weight, os.path.splitext(source)[1]))
    font.save(path)
    print("%s: %d kB" % (os.path.basename(path), os.path.getsize(path) // 1000))


if __name__ == "__main__":
    output = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    for row in FONTS:
        make(*row, output)
