// Servers that others wrote, and small ones upon libraries that others wrote: what was measured on them, played again.
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import path from 'node:path';
import { alertmanager, serverCommands, serverEverything, serverFilesystem, serverSdkV2, serverTmcp } from '../../real/servers';
import { allOf, certaintyIs, finds, replyIs, stopIs, type TruthCase } from '../case';
import type { CallMore, Handle, Scene, Step } from '../scene';
import { until } from '../until';
import { handshakeCancelled } from './ids';

const POSIX = (): string | undefined =>
  process.platform === 'win32' ? 'it needs a POSIX shell or a FIFO, which this platform does not have' : undefined;

/** Calls `run_command` of mcp-server-commands; the command performs steps and keeps the log. */
const command = (scene: Scene, steps: readonly Step[], more: CallMore = {}): Promise<Handle> =>
  scene.use('run_command', (as) => ({ command: scene.shell(as, steps) }), more);

/** Calls a tool of a server of ours upon a library, which performs steps and keeps the log. */
const perform = (scene: Scene, tool: string, steps: readonly Step[], more: CallMore = {}): Promise<Handle> =>
  scene.use(tool, (as) => ({ as, steps }), more);

async function begun(scene: Scene, call: Handle): Promise<Handle> {
  await scene.reached(call, 'begun');
  await scene.stop(call);
  return call;
}

async function go(scene: Scene, call: Handle, count = 1): Promise<Handle> {
  await scene.open('go');
  await scene.saw(call, count);
  return call;
}

const AFTER: readonly Step[] = [{ say: 'begun' }, { gate: 'go' }, { write: 'late' }];

/** What stands in the place, temporary files included, as one text. */
const listing = (scene: Scene) => (): string =>
  readdirSync(scene.place)
    .map((name) => {
      const stats = lstatSync(path.join(scene.place, name), { throwIfNoEntry: false });
      return `${name} ${stats?.isFile()} ${stats?.size} ${stats?.mtimeMs}`;
    })
    .join('\n');

/** `edit_file` on a FIFO: the tool waits until somebody writes into it, then puts a file in its place. */
async function editsFifo(scene: Scene): Promise<{ readonly call: Handle; readonly release: () => Promise<void> }> {
  const fifo = path.join(scene.place, 'note.txt');
  execFileSync('mkfifo', [fifo]);
  await scene.connect(serverFilesystem(scene.place));
  const edits = [{ oldText: 'old', newText: 'new' }];
  const call = await scene.use('edit_file', () => ({ path: fifo, edits }), { as: 'edit' });
  scene.witness('edit', 'the place', listing(scene));
  return {
    call,
    /** What goes into the FIFO changes it, too: that is a write in the place, and stands in the log. */
    release: () =>
      scene.notes('edit', 'note.txt', async () => {
        const pipe = await open(fifo, 'w');
        await pipe.writeFile('alpha\nold\nomega\n');
        await pipe.close();
      }),
  };
}

/** An Alertmanager that creates a silence when it is let go: the effect is a file, and it stands in the log. */
async function backend(scene: Scene): Promise<{ readonly server: Server; readonly url: string; readonly asked: () => boolean }> {
  let asked = false;
  const server = createServer((request, response) => {
    request.resume().once('end', () => {
      if (request.method !== 'POST') return void response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
      asked = true;
      void (async () => {
        await until('the gate', () => scene.isOpen('go'));
        scene.writes('call-1', 'silence');
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"silenceID":"1"}');
      })();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`, asked: () => asked };
}

export const REAL: readonly TruthCase[] = [
  {
    name: 'a shell command writes after the cancel',
    class: 'A',
    server: 'mcp-server-commands 0.5.0',
    missing: POSIX,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.connect(serverCommands());
      const call = await begun(scene, await command(scene, AFTER));
      await scene.lookedFenced(call);
      return go(scene, call);
    },
    also: allOf(replyIs('none'), certaintyIs('proved')),
  },
  {
    name: 'a shell command writes a part before the cancel and the rest after it',
    class: 'A4',
    server: 'mcp-server-commands 0.5.0',
    missing: POSIX,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.connect(serverCommands());
      const call = await command(scene, [{ write: 'lines' }, { gate: 'go' }, { write: 'lines' }]);
      await scene.saw(call);
      await scene.stop(call);
      await scene.looked(call);
      return go(scene, call, 2);
    },
  },
  {
    name: 'a shell command writes, nobody watches',
    class: 'A',
    server: 'mcp-server-commands 0.5.0',
    missing: POSIX,
    acceptable: ['unknown-write'],
    async run(scene) {
      await scene.connect(serverCommands());
      const call = await begun(
        scene,
        await command(scene, [{ say: 'begun' }, { gate: 'go' }, { write: 'late' }, { say: 'written' }], { probes: [] }),
      );
      await scene.open('go');
      await scene.reached(call, 'written');
      return call;
    },
  },
  {
    name: 'a shell command, its cancel in the other type of id',
    class: 'N',
    server: 'mcp-server-commands 0.5.0',
    missing: POSIX,
    acceptable: ['never-told'],
    async run(scene) {
      await scene.connect(serverCommands());
      const call = await command(scene, AFTER);
      await scene.reached(call, 'begun');
      await scene.stop(call, { means: 'cancel-id', id: '5' });
      await scene.looked(call);
      return go(scene, call);
    },
    also: stopIs('misaddressed'),
  },
  {
    name: 'a shell command again after its cancel: it runs twice',
    class: 'O',
    server: 'mcp-server-commands 0.5.0',
    missing: POSIX,
    acceptable: ['double-write'],
    async run(scene) {
      await scene.connect(serverCommands());
      const first = await begun(scene, await command(scene, AFTER, { as: 'first', normallyMs: 60, settleMs: 1500 }));
      await scene.looked(first);
      await go(scene, first);
      await scene.settled(first);
      const retry = await command(scene, [{ write: 'again' }, { gate: 'end' }], { as: 'retry', retryOf: first });
      await scene.saw(retry);
      await scene.open('end');
      await scene.replied(retry);
      return retry;
    },
  },
  {
    name: 'progress goes on after the cancel, and there is never a reply',
    class: 'A1',
    server: '@modelcontextprotocol/server-everything 2026.8.31',
    acceptable: ['still-working'],
    async run(scene) {
      await scene.connect(serverEverything());
      const call = await scene.use('trigger-long-running-operation', () => ({ duration: 2, steps: 8 }), { probes: [] });
      await scene.sees('progress', call, (_, { progress }) => progress.length > 0);
      await scene.stop(call);
      await scene.sees('progress after the cancel', call, ({ afterStop }) => afterStop.progress > 0);
      return call;
    },
    also: allOf(replyIs('none'), certaintyIs('proved')),
  },
  {
    name: 'edit_file waits on a FIFO, and writes after the cancel',
    class: 'A',
    server: '@modelcontextprotocol/server-filesystem 2026.8.31',
    missing: POSIX,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      const { call, release } = await editsFifo(scene);
      await scene.stop(call);
      await scene.lookedFenced(call);
      await release();
      await scene.saw(call);
      return call;
    },
    also: replyIs('none'),
  },
  {
    name: 'edit_file waits on a FIFO for ever',
    class: 'A',
    server: '@modelcontextprotocol/server-filesystem 2026.8.31',
    missing: POSIX,
    acceptable: ['quiet'],
    async run(scene) {
      const { call, release } = await editsFifo(scene);
      await scene.stop(call);
      await scene.sees('the end of the window', call, ({ verdict }) => verdict === 'quiet');
      void release;
      return call;
    },
  },
  {
    name: 'a quick write and its cancel',
    class: 'H',
    server: '@modelcontextprotocol/server-filesystem 2026.8.31',
    acceptable: ['write-before-cancel', 'write-after-cancel', 'write-order-unknown', 'finished-first', 'crossed'],
    async run(scene) {
      await scene.connect(serverFilesystem(scene.place));
      const file = path.join(scene.place, 'quick.txt');
      scene.witness('quick', 'the place', listing(scene));
      const call = await scene.use('write_file', () => ({ path: file, content: 'quick\n' }), { as: 'quick' });
      await scene.stop(call);
      await until('the file', () => existsSync(file));
      await scene.read();
      return call;
    },
  },
  {
    name: 'a tool that heeds the signal stops',
    class: 'B',
    server: 'upon @modelcontextprotocol/server 2.4.0',
    acceptable: ['stopped'],
    async run(scene) {
      await scene.connect(serverSdkV2(scene.where));
      return begun(scene, await perform(scene, 'write_abort', AFTER, { normallyMs: 100 }));
    },
    also: replyIs('none'),
  },
  {
    name: 'a tool that heeds the signal has written a part before',
    class: 'B',
    server: 'upon @modelcontextprotocol/server 2.4.0',
    acceptable: ['write-before-cancel'],
    async run(scene) {
      await scene.connect(serverSdkV2(scene.where));
      const call = await perform(scene, 'write_abort', [{ write: 'part' }, { gate: 'never' }], { normallyMs: 100 });
      await scene.saw(call);
      await scene.stop(call);
      return call;
    },
  },
  {
    name: 'a tool that only listens for the event stops',
    class: 'B',
    server: 'upon @modelcontextprotocol/server 2.4.0',
    acceptable: ['stopped'],
    async run(scene) {
      await scene.connect(serverSdkV2(scene.where));
      return begun(scene, await perform(scene, 'write_listen', AFTER, { normallyMs: 100 }));
    },
  },
  {
    name: 'a tool that ignores the signal writes',
    class: 'A',
    server: 'upon @modelcontextprotocol/server 2.4.0',
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.connect(serverSdkV2(scene.where));
      const call = await begun(scene, await perform(scene, 'write_ignore', AFTER));
      await scene.lookedFenced(call);
      return go(scene, call);
    },
    also: replyIs('none'),
  },
  {
    name: 'one message after the other: the cancel is read when the call is over',
    class: 'G1',
    server: 'upon tmcp 1.20.0',
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.connect(serverTmcp(scene.where));
      const call = await begun(scene, await perform(scene, 'write_ignore', AFTER));
      await scene.looked(call);
      await scene.sees(
        'a long silence',
        call,
        ({ fence, stop }) => scene.now > (stop.at ?? 0) + Math.max(8 * fence.tie, 15 * (fence.idle ?? 0)),
      );
      await scene.open('go');
      await scene.replied(call);
      await scene.fenced(call);
      await scene.saw(call);
      return call;
    },
    also: finds('server-blocked'),
  },
  {
    name: 'createSilence ignores the cancel and answers late',
    class: 'C',
    server: 'mcp-alertmanager 2.1.1',
    missing: alertmanager.missing,
    acceptable: ['write-after-cancel'],
    async run(scene) {
      const { server, url, asked } = await backend(scene);
      scene.atEnd(() => server.close());
      await scene.connect(alertmanager.start(url));
      const call = await scene.use('createSilence', () => ({ alertName: 'Disk', duration: '30m' }));
      await until('the request', asked);
      await scene.stop(call);
      await scene.lookedFenced(call);
      await scene.pastTie(call);
      await scene.open('go');
      await scene.replied(call);
      await scene.saw(call);
      return call;
    },
    also: replyIs('late-result'),
  },
  {
    name: 'createSilence ignores the cancel and answers late, nobody watches',
    class: 'C',
    server: 'mcp-alertmanager 2.1.1',
    missing: alertmanager.missing,
    acceptable: ['late-result-write'],
    async run(scene) {
      const { server, url, asked } = await backend(scene);
      scene.atEnd(() => server.close());
      await scene.connect(alertmanager.start(url));
      const call = await scene.use('createSilence', () => ({ alertName: 'Disk', duration: '30m' }), { probes: [] });
      await until('the request', asked);
      await scene.stop(call);
      await scene.pastTie(call);
      await scene.open('go');
      await scene.replied(call);
      return call;
    },
  },
  {
    name: 'createSilence and its cancel in one write: refused before it began, or done all the same',
    class: 'F',
    server: 'mcp-alertmanager 2.1.1, by hand',
    missing: alertmanager.missing,
    acceptable: ['acknowledged', 'write-after-cancel'],
    async run(scene) {
      const { server, url, asked } = await backend(scene);
      scene.atEnd(() => server.close());
      await scene.speak(alertmanager.start(url));
      const args = { alertName: 'Disk', duration: '30m' };
      const call = await scene.use('createSilence', () => args, { cancelledAtOnce: true, settleMs: 400 });
      await scene.looked(call);
      await scene.open('go');
      await scene.replied(call);
      if (asked()) await scene.saw(call);
      return call;
    },
  },
  {
    name: 'a tool that only listens for the event, its cancel in one write with the call: it misses it',
    class: 'B-trap',
    server: 'upon @modelcontextprotocol/server 2.4.0, by hand',
    acceptable: ['write-after-cancel'],
    async run(scene) {
      await scene.speak(serverSdkV2(scene.where));
      const call = await perform(scene, 'write_listen', AFTER, { cancelledAtOnce: true });
      await scene.reached(call, 'begun');
      await scene.looked(call);
      return go(scene, call);
    },
  },
  {
    name: 'initialize is cancelled, and never answered',
    class: 'L',
    server: '@modelcontextprotocol/server-everything 2026.8.31, by hand',
    acceptable: ['invalid-cancel'],
    async run(scene) {
      const wire = await scene.speak(serverEverything(), false);
      return handshakeCancelled(scene, wire);
    },
  },
];
