// SPDX-License-Identifier: GPL-3.0-or-later
// A flame chart as a file. Pictures paint the same layout as the screen; texts come from compile/profile_export.h.
#pragma once

#include <QString>
#include <array>

#include "core/compile/model.h"
#include "ui/flame/flame_paint.h"

namespace fettle::ui {

enum class FlameFormat { Svg, Png, Pdf, ChromeTrace, Folded };

struct FlameFormatRow {
    FlameFormat format;
    const char* name;  // for menus; to be translated
    const char* suffix;
};
inline constexpr std::array<FlameFormatRow, 5> kFlameFormats = {{
    {FlameFormat::Svg, "SVG picture", "svg"},
    {FlameFormat::Png, "PNG picture", "png"},
    {FlameFormat::Pdf, "PDF page", "pdf"},
    {FlameFormat::ChromeTrace, "Chrome trace (JSON)", "json"},
    {FlameFormat::Folded, "Folded stacks", "folded.txt"},
}};

struct FlamePicture {
    QString title;    // first line, bold
    QString caption;  // at its right
    FlameRange range;
    int width = 1400;  // pixels
    double ratio = 2;  // device pixels for each, PNG only
};

// Writes the whole file or none of it: a failure names the file and the reason.
Status exportFlame(const QString& file, FlameFormat format, const compile::Profile& profile, const FlameTree& tree,
                   const FlameStyle& style, const Theme& theme, const FlamePicture& picture);

}  // namespace fettle::ui
