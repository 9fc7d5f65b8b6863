// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/frame_timer.h"

#include <QWidget>
#include <algorithm>

namespace fettle::ui {

FrameTimer::FrameTimer(QObject* parent) : QObject(parent) {
    timer_.setInterval(kFrameMs);
    timer_.setTimerType(Qt::PreciseTimer);
    connect(&timer_, &QTimer::timeout, this, &FrameTimer::tick);
    clock_.start();
}

void FrameTimer::add(FrameClient* client) {
    entries_.push_back({client});
}

void FrameTimer::remove(FrameClient* client) {
    std::erase_if(entries_, [&](const Entry& e) { return e.client == client; });
}

void FrameTimer::markDirty(FrameClient* client) {
    for (Entry& e : entries_)
        if (e.client == client) e.dirty = true;
    if (!timer_.isActive()) timer_.start();
}

void FrameTimer::tick() {
    bool waiting = false;
    const qint64 began = clock_.elapsed();
    // By index: drawing may not change the list, but be safe against a chart that goes away.
    for (size_t i = 0; i < entries_.size(); ++i) {
        if (!entries_[i].dirty || !entries_[i].client->frameWidget()->isVisible()) continue;
        const qint64 now = clock_.elapsed();
        // One frame's worth of drawing per tick; the rest comes in the next, the longest waiting first.
        if (now < entries_[i].notBefore || now - began > kFrameMs) {
            waiting = true;
            continue;
        }
        entries_[i].dirty = false;
        entries_[i].client->drawFrame();
        const qint64 took = clock_.elapsed() - now;
        entries_[i].notBefore = clock_.elapsed() + (took > kSlowMs ? 8 * took : 0);
    }
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.dirty > b.dirty; });
    if (!waiting) timer_.stop();  // a hidden dirty chart is drawn when it is shown: it marks itself dirty then
}

}  // namespace fettle::ui
