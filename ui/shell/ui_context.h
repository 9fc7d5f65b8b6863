// SPDX-License-Identifier: GPL-3.0-or-later
// What every page and dock is given. Owned by the main window's maker; outlives them all.
#pragma once

#include "ui/charts/frame_timer.h"
#include "ui/shell/selection_context.h"
#include "ui/shell/session_controller.h"
#include "ui/shell/theme.h"

namespace fettle::ui {

struct UiContext {
    Theme* theme;
    SelectionContext* selection;
    SessionController* session;
    FrameTimer* frames;

    const SessionData& data() const { return session->data(); }
};

}  // namespace fettle::ui
