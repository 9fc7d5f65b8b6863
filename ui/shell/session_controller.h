// SPDX-License-Identifier: GPL-3.0-or-later
// The window's hold on a session: opens it off the GUI thread, takes its events in batches of 100 ms, keeps the
// data that views draw from, and owns every asynchronous call. Stale results (of a session closed meanwhile) are
// dropped.
#pragma once

#include <QObject>
#include <QTimer>
#include <atomic>
#include <functional>
#include <memory>

#include "ui/models/session_data.h"
#include "ui/shell/session_driver.h"

namespace fettle::ui {

class SessionController : public QObject {
    Q_OBJECT
public:
    static constexpr int kBatchMs = 100;

    explicit SessionController(DriverOpener opener, QObject* parent = nullptr);
    ~SessionController() override;  // stops the work; nothing that was shown is lost

    const SessionData& data() const { return data_; }
    bool isOpen() const { return driver_ != nullptr; }
    bool opening() const { return opening_; }
    bool busy() const;    // profiling, tuning, exporting
    bool tuning() const;  // tuning, pausing or paused
    QString filePath() const { return file_; }
    const Roof& roof() const { return roof_; }
    const session::OpenOptions& openOptions() const { return options_; }

    void open(const QString& file, const session::OpenOptions& options);
    void close();
    void profile(int runs, int threads, bool bestSchedules);
    void tune(const session::TuneOptions& options);
    void pauseOrResume();
    void stop();
    void exportTo(const QString& folder, int threads, bool verify);
    void tryTrace(int task, const QString& trace);
    std::string bestTrace(int task) const;

    // The artefact of a schedule, made off the GUI thread; `done` runs on the GUI thread while `receiver` lives and
    // the session is still the same one.
    void show(int task, const std::string& trace, const std::string& what, QObject* receiver,
              std::function<void(Result<std::string>)> done);

signals:
    void openStarted(const QString& file);
    void opened();
    void openFailed(const fettle::Error& error);
    void closed();
    void changed(unsigned changes);  // bits of Change; at most every 100 ms
    void failed(const fettle::Error& error);
    void warned(const fettle::Error& error);
    void exported(const fettle::compile::ExportReport& report);
    void profileReady(std::shared_ptr<const fettle::compile::Profile> profile);
    void finished(bool cancelled);
    void roofMeasured();
    void logged(const QString& line);

private:
    struct Opened;
    void takeOpened(quint64 generation, Opened result);
    void drain();
    void announce(session::Event& event);
    void measureRoofLater();
    void dropSession();
    void busyError(const char* what);
    template <class Work, class Done>
    void runAsync(Work work, Done done, QObject* receiver);

    DriverOpener opener_;
    std::shared_ptr<SessionDriver> driver_;
    SessionData data_;
    session::OpenOptions options_;
    Roof roof_;
    QString file_;
    QTimer batch_;
    quint64 generation_ = 0;
    bool opening_ = false;
    bool historyRead_ = false;
    std::shared_ptr<std::atomic<bool>> woken_;
};

}  // namespace fettle::ui
