// The host's whole path without a window, for benches: pipe, tap, trace file, fold, judge.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { judge } from '../../app/verdict/judge';
import { startClock } from '../../main/host/clock';
import { type Recording, startRecording } from '../../main/host/recording';
import { type Command, Session } from '../../main/host/session';
import type { RecordedMessage, Recorder } from '../../main/store/recorder';

export interface Bench {
  readonly recording: Recording;
  readonly session: Session;
  /** Resolves with the next message that `wanted` holds of, when it has been recorded. */
  readonly next: (wanted: (message: RecordedMessage) => boolean) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Connects a session to a server as the host does, with a recording in a folder of its own. */
export async function connect(command: Omit<Command, 'env'>): Promise<Bench> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'stopgap-bench-'));
  const recording = startRecording({
    folder,
    clock: startClock(),
    by: 'stopgap bench',
    judge,
    onAdvance: () => undefined,
    onDue: () => undefined,
  });
  let wanted: ((message: RecordedMessage) => boolean) | undefined;
  let found: () => void = () => undefined;
  const recorder: Recorder = Object.create(recording.recorder, {
    message: {
      value: (message: RecordedMessage) => {
        const seq = recording.recorder.message(message);
        if (wanted?.(message)) {
          wanted = undefined;
          found();
        }
        return seq;
      },
    },
  });
  const { clock } = recording;
  let listed: () => void = () => undefined;
  const tools = new Promise<void>((resolve) => {
    listed = resolve;
  });
  const session = new Session({
    number: 1,
    target: { kind: 'stdio', command: { ...command, env: {} } },
    recorder,
    clock,
    version: 'bench',
    roots: () => [],
    fence: () => false,
    conceal: (text) => text,
    onChange: () => session.tools.length > 0 && listed(),
  });
  await session.open();
  if (session.state !== 'connected') throw new Error(session.why ?? 'the bench server did not connect');
  // The handshake's last answer: after it everything that comes belongs to the bench.
  await tools;
  return {
    recording,
    session,
    next: (test) =>
      new Promise((resolve) => {
        wanted = test;
        found = resolve;
      }),
    async close() {
      await session.close('quit');
      await recording.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
