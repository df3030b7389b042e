// SPDX-License-Identifier: Apache-2.0
//
// What a guest does beside recording. Each trouble runs on a thread of its own
// until the recorders are done, unless it says otherwise.
#pragma once

#include <pthread.h>

#include "guest/recorder.h"
#include "guest/scenario.h"

namespace stepscope::guest {

// guest.cc: the program.
int Main(int argc, char** argv);

// Starts a session of this process, captures/p<process>_<number>.sscap in the
// folder, and puts the outcome into the ledger.
int StartSession(const Scenario& scenario, int number);
// Stops it and waits until its file is complete.
void StopSession();

// True while threads record that were started to do so.
bool RecordersAtWork();

// A thread, to be joined. False: the system refuses one, which is said.
bool StartThread(pthread_t* thread, void* (*run)(void*), void* argument,
                 size_t stack_bytes = 0);

// descriptors.cc
void UseDescriptors(const Scenario& scenario, Rng* rng);
// Until it has opened its first files, wherever it puts them.
void AwaitDescriptorsInUse();
void CloseAllDescriptors(Rng* rng);
// Finds a descriptor among 0, 1 and 2 that the guest did not open.
void CheckStandardClosed();

// forks.cc
void MakeChildren(const Scenario& scenario, const std::string& folder,
                  Rng* rng);
// The program that children execute: finds descriptors that are not the
// user's, then ends with `code`.
int ListDescriptors(const std::string& folder, int code);
[[noreturn]] void ExecuteLister(const std::string& folder, int code);

// By exit(), which holds a lock of the C library that a child forked meanwhile
// never gets: such a child must not exit(), recorder or not.
[[noreturn]] void Exit(int code);
bool ExitHasBegun();

// signals.cc
void InstallHandlers(const Scenario& scenario);
// The calling thread is signalled from now on, or no longer.
void BecomeTarget();
void NoLongerTarget();
void SendSignals();
// Fills chunks and stays inside the recorder at their ends. Runs until handlers
// have interrupted it there often enough.
void StayAtChunkEnds();
// Leaves user code by jumps out of handlers, `count` times.
void JumpAbout(int count, Rng* rng);
// The next handler ends the process.
[[noreturn]] void EndInSomeHandler(const Scenario& scenario);

// cancel.cc
void CancelThreads(const Scenario& scenario, Rng* rng);
// A thread stops the session, and is cancelled where it waits for the file.
void CancelControl();

// limits.cc: before the session starts. False: it cannot be had here.
bool ApplyLimits(const Scenario& scenario, const std::string& folder);
// True: the guest needs file systems of its own.
bool NeedsFileSystems(const Scenario& scenario);
// Makes them, runs the guest in them as a child, and returns its wait status.
// What it left on the tiny disk is put into the folder. -1: not allowed here.
int RunInFileSystems(const Scenario& scenario, const std::string& folder,
                     int (*guest)());

}  // namespace stepscope::guest
