import { describe, expect, it, onTestFinished } from 'vitest';
import type { ServerAccess, SpecOf } from '../../app/evidence/probe';
import { startClock } from '../host/clock';
import { hearing } from './probe.testing';
import { checkRead, startReadProbe } from './read';

const NEVER_MS = 3_600_000;
/** However slow the machine. */
const SOON = { timeout: 25_000, interval: 5 };

/** A server that answers as it is told. */
interface Server extends ServerAccess {
  open: boolean;
  readonly asked: string[];
  answers: Record<string, unknown>;
  updated(): void;
}

function server(answers: Record<string, unknown>): Server {
  const listeners = new Set<() => void>();
  const one: Server = {
    open: true,
    asked: [],
    answers,
    async request(method, params) {
      one.asked.push(`${method} ${params['name'] ?? params['uri']}`);
      const answer = one.answers[method];
      if (answer === undefined) throw new Error(`Method not found: ${method}`);
      return answer;
    },
    onResourceUpdated(_uri, listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    processes: async () => [],
    updated: () => {
      for (const listener of listeners) listener();
    },
  };
  return one;
}

async function scene(read: SpecOf<'read'>['read'], from: Server) {
  const heard = hearing(startClock(), { server: from });
  const spec: SpecOf<'read'> = { kind: 'read', name: 'out', shared: false, read, everyMs: NEVER_MS };
  const probe = await startReadProbe(spec, heard.context);
  onTestFinished(() => probe.stop());
  const says = () => heard.effects.flatMap((effect) => ('says' in effect ? [effect.says] : []));
  return { ...heard, probe, says };
}

const TOOL = { tool: 'list_tickets', arguments: {} };
const text = (value: string) => ({ 'tools/call': { content: [{ type: 'text', text: value }] } });
const structured = (value: unknown) => ({ 'tools/call': { content: [{ type: 'text', text: 'as text' }], structuredContent: value } });

/** What is said when a tool answers with one thing and then with another. */
async function said(before: Record<string, unknown>, ...after: readonly Record<string, unknown>[]): Promise<string[]> {
  const from = server(before);
  const { probe, says } = await scene(TOOL, from);
  for (const answers of after) {
    from.answers = answers;
    await probe.read();
  }
  return says();
}

describe('a tool that is read', () => {
  it('is compared by the elements of its lists', async () => {
    const one = { id: 1, title: 'one' };
    expect(
      await said(
        structured({ tickets: [one], total: 1 }),
        structured({
          total: 2,
          tickets: [
            { id: 2, title: 'two' },
            { title: 'one', id: 1 },
          ],
        }),
        structured({ tickets: [one], total: 1 }),
        structured({ tickets: [{ ...one, title: 'won' }], total: 1 }),
      ),
    ).toEqual([
      '1 item more: {"id":2,"title":"two"}',
      '1 item gone again: {"id":2,"title":"two"}',
      '1 item changed: {"id":1,"title":"one"} → {"id":1,"title":"won"}',
    ]);
  });

  it('is compared by the fields of an object', async () => {
    expect(await said(structured({ state: 'open', by: 'ada' }), structured({ state: 'closed', by: 'ada' }))).toEqual([
      'state changed from open to closed',
    ]);
  });

  it('is compared by the JSON in its text', async () => {
    expect(await said(text('["a"]'), text('[ "b", "a" ]'))).toEqual(['1 item more: b']);
  });

  it('is compared line by line where it is no JSON', async () => {
    expect(await said(text('one\ntwo'), text('one\ntwo\nthree'))).toEqual(['1 line more: three']);
    expect(await said(text('3 tickets'), text('4 tickets'))).toEqual(['the answer changed from 3 tickets to 4 tickets']);
  });

  it('is compared by what an image consists of', async () => {
    const image = (data: string) => ({ 'tools/call': { content: [{ type: 'image', mimeType: 'image/png', data }] } });
    expect(await said(image('AAAA'), image('AAAA'), image('BBBB'))).toEqual([
      expect.stringMatching(/^1 content more: image image\/png \(sha256 [0-9a-f]{16}\)$/),
      expect.stringMatching(/^1 content fewer: image image\/png /),
    ]);
  });

  it('that fails later is a gap, and so is the end of the session', async () => {
    const from = server(text('fine'));
    const { all, probe } = await scene(TOOL, from);
    from.answers = { 'tools/call': { content: [{ type: 'text', text: 'no database' }], isError: true } };
    await probe.read();
    from.answers = {};
    await probe.read();
    from.open = false;
    await probe.read();
    expect(all('gap').map(({ why }) => why)).toEqual([
      'The tool list_tickets failed: no database',
      'Method not found: tools/call',
      'the session is over',
    ]);
    expect(all('clear')).toEqual([]);
  });

  it('that fails at first is refused', async () => {
    await expect(scene(TOOL, server({ 'tools/call': { content: [], isError: true } }))).rejects.toThrow(
      'The tool list_tickets failed: it says no more',
    );
    await expect(scene(TOOL, server({ 'tools/call': { content: 7 } }))).rejects.toThrow('Expected a result of the tool list_tickets');
    const heard = hearing(startClock());
    const spec: SpecOf<'read'> = { kind: 'read', name: 'out', shared: false, read: TOOL, everyMs: 250 };
    await expect(startReadProbe(spec, heard.context)).rejects.toThrow('Expected a connected server to read from');
    expect(await checkRead(spec)).toBeUndefined();
    expect(await checkRead({ ...spec, done: '(' })).toContain('Expected a regular expression');
  });
});

describe('a resource that is read', () => {
  const contents = (value: string) => ({ contents: [{ uri: 'tickets://all', text: value }] });

  it('is subscribed to, read when it says that it was updated, and given up at the end', async () => {
    const from = server({ 'resources/subscribe': {}, 'resources/unsubscribe': {}, 'resources/read': contents('one') });
    const { effects, probe, says } = await scene({ resource: 'tickets://all' }, from);
    from.answers['resources/read'] = contents('one\ntwo');
    from.updated();
    await expect.poll(says, SOON).toEqual(['1 line more: two']);
    await probe.stop();
    expect(effects.at(-1)).toEqual({ effect: 'ended', probe: 'out' });
    expect([from.asked[0], from.asked.at(-1)]).toEqual(['resources/subscribe tickets://all', 'resources/unsubscribe tickets://all']);
  });

  it('is read all the same where the server takes no subscriptions', async () => {
    const from = server({ 'resources/read': contents('one') });
    const { probe, says } = await scene({ resource: 'tickets://all' }, from);
    from.answers = { 'resources/read': contents('won') };
    await probe.read();
    expect(says()).toEqual(['the answer changed from one to won']);
    await probe.stop();
    expect(from.asked.filter((one) => one.includes('unsubscribe'))).toEqual([]);
  });
});
