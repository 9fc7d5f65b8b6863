// SPDX-License-Identifier: GPL-3.0-or-later
// One 16 ms timer for all charts: only dirty and visible ones are redrawn, and one that takes long waits longer.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <vector>

class QWidget;

namespace fettle::ui {

// A chart that redraws itself when the timer says so.
class FrameClient {
public:
    virtual ~FrameClient() = default;
    virtual QWidget* frameWidget() = 0;
    virtual void drawFrame() = 0;  // brings the chart up to date
};

class FrameTimer : public QObject {
    Q_OBJECT
public:
    static constexpr int kFrameMs = 16;
    static constexpr int kSlowMs = 10;  // a redraw over this waits 8 times as long as it took

    explicit FrameTimer(QObject* parent = nullptr);
    void add(FrameClient* client);
    void remove(FrameClient* client);
    void markDirty(FrameClient* client);

private:
    struct Entry {
        FrameClient* client;
        bool dirty = false;
        qint64 notBefore = 0;
    };
    void tick();

    std::vector<Entry> entries_;
    QTimer timer_;
    QElapsedTimer clock_;
};

}  // namespace fettle::ui
