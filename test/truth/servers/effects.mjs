// What the servers of the truth set do to the world, and how they write it down: every effect stands in the truth log with
// the monotonic time just before and just after it, so that what Stopgap says can be held against what really happened.
// CLOCK_MONOTONIC is one for all processes of a machine.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const POLL_MS = 2;

/** Where a server of the set does its work: the watched place, its truth log, the folder of gates. */
export const whereOf = (args) => ({ place: args[0], log: args[1], gates: args[2] });

const stamp = () => process.hrtime.bigint().toString();

export class Aborted extends Error {}

/**
 * The doings of one server.
 * @param where see {@link whereOf}
 */
export function effects({ place, log, gates }) {
  let count = 0;
  const note = (entry) => appendFileSync(log, `${JSON.stringify(entry)}\n`);
  const at = (file) => path.join(place, file);

  /** One real effect; what is logged before it stands even if the process dies in it. */
  const effect = (as, file, act) => {
    const key = `${process.pid}-${++count}`;
    note({ entry: 'write', key, as, file, from: stamp() });
    act();
    note({ entry: 'written', key, to: stamp() });
  };

  const inPlace = {
    write: ({ as, write, text = `${as}\n` }) => effect(as, write, () => appendFileSync(at(write), text)),
    /** Appears whole, by a rename from outside the place. */
    rename: ({ as, rename }) => {
      const partial = `${log}.${process.pid}.partial`;
      writeFileSync(partial, `${as}\n`);
      effect(as, rename, () => renameSync(partial, at(rename)));
    },
    deep: ({ as, deep }) =>
      effect(as, deep, () => {
        mkdirSync(path.dirname(at(deep)), { recursive: true });
        writeFileSync(at(deep), `${as}\n`);
      }),
    remove: ({ as, remove }) => effect(as, remove, () => rmSync(at(remove))),
  };

  async function post(as, url, drop) {
    const key = `${process.pid}-${++count}`;
    note({ entry: 'write', key, as, file: url, from: stamp() });
    await new Promise((resolve) => {
      const sent = request(url, { method: 'POST', headers: { 'content-type': 'text/plain' } }, (response) => {
        response.resume().once('end', resolve);
      });
      sent.once('error', resolve);
      sent.end(`${as}\n`, () => drop && setTimeout(() => sent.destroy(), drop));
    });
    note({ entry: 'written', key, to: stamp() });
  }

  const start = (as, steps) => [fileURLToPath(import.meta.url), place, log, gates, JSON.stringify({ as, steps })];

  /** A process that leaves its parent, its group and its environment behind, as a daemon does. */
  function daemon(as, steps) {
    const words = [process.execPath, ...start(as, steps)];
    spawn('/bin/sh', ['-c', 'setsid "$@" <&- >/dev/null 2>&1 &', 'sh', ...words], { stdio: 'ignore', env: {}, detached: true });
  }

  /** Resolves when a gate has been opened. @param look called before every look at it */
  async function passed(gate, look = () => {}) {
    while (!existsSync(path.join(gates, gate))) {
      look();
      await rest(POLL_MS);
    }
  }

  /**
   * Performs steps one after the other.
   * @param context.as the call's name in the log
   * @param context.aborted whether it has been told to stop, and heeds it
   * @param context.step does what only a server can: answers, progress
   * @throws Aborted
   */
  async function perform(steps, context) {
    const { as, aborted = () => false, step: more = () => false } = context;
    const look = () => {
      if (aborted()) throw new Aborted();
    };
    for (const one of steps) {
      look();
      const [verb] = Object.keys(one);
      if (verb in inPlace) inPlace[verb]({ as, ...one });
      else if (verb === 'undo') {
        const from = stamp();
        rmSync(at(one.undo));
        note({ entry: 'undo', as, file: one.undo, from, to: stamp() });
      } else if (verb === 'say') note({ entry: 'reached', as, name: one.say, at: stamp() });
      else if (verb === 'wait') await rest(one.wait);
      else if (verb === 'gate') await passed(one.gate, look);
      else if (verb === 'spin') {
        while (!existsSync(path.join(gates, one.spin)));
      } else if (verb === 'post') await post(as, one.post, one.drop);
      else if (verb === 'spawn') spawn(process.execPath, start(as, one.spawn), { stdio: 'ignore' });
      else if (verb === 'daemon') daemon(as, one.daemon);
      else if (verb === 'exit') process.exit(one.exit);
      else if (!(await more(one))) throw new Error(`there is no step ${JSON.stringify(one)}`);
    }
  }

  return { note, stamp, perform, passed };
}

// As a program of its own: PLACE LOG GATES {"as": …, "steps": […]}.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { as, steps } = JSON.parse(process.argv[5]);
  await effects(whereOf(process.argv.slice(2))).perform(steps, { as });
}
