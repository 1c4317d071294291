// The revision without a handshake: what goes out in the place of what the client wants to send, and what it is given.
import { describe, expect, test } from 'vitest';
import { AUTOMATIC, MODERN } from '../../app/wire/era';
import { DISCOVER, Modern, RevisionRefused } from './modern';

const INITIALIZE = {
  jsonrpc: '2.0' as const,
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: { roots: {} }, clientInfo: { name: 'stopgap', version: '1' } },
};
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'stopgap', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { roots: {} },
};
const OFFER = {
  supportedVersions: [MODERN],
  capabilities: { tools: {} },
  instructions: 'be kind',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'small', version: '2' } },
};

function asked(protocol: string): Modern {
  const modern = Modern.of(protocol);
  if (!modern) throw new Error('expected the revision without a handshake');
  expect(modern.outgoing(INITIALIZE)).toEqual({ jsonrpc: '2.0', id: DISCOVER, method: 'server/discover', params: { _meta: META } });
  return modern;
}

test('there is none where a revision of before, or nothing, is wanted', () => {
  expect(Modern.of(undefined)).toBeUndefined();
  expect(Modern.of('2025-11-25')).toBeUndefined();
});

describe.each([MODERN, AUTOMATIC])('%s', (protocol) => {
  test('an offer becomes the end of the client’s handshake, and every request says what it speaks', () => {
    const modern = asked(protocol);
    const found = modern.discovered({ jsonrpc: '2.0', id: DISCOVER, result: OFFER });
    expect(found).toMatchObject({ next: 'give', message: { id: 0, result: { serverInfo: { name: 'small' }, instructions: 'be kind' } } });
    expect(modern.offered).toEqual([MODERN]);
    const call = { jsonrpc: '2.0' as const, id: 1, method: 'tools/call', params: { name: 'größe', _meta: { progressToken: 1 } } };
    const spoken = modern.outgoing(call);
    expect(spoken).toMatchObject({ params: { name: 'größe', _meta: { progressToken: 1, ...META } } });
    expect(spoken && modern.headers(spoken)).toEqual({
      'mcp-protocol-version': MODERN,
      'mcp-method': 'tools/call',
      'mcp-name': '=?base64?Z3LDtsOfZQ==?=',
    });
    expect(modern.outgoing({ jsonrpc: '2.0', method: 'notifications/initialized' })).toBeUndefined();
  });
});

test('the tasks extension is declared where it is wanted, and nowhere else; a request about a task is routed by its id', () => {
  const modern = asked(MODERN);
  modern.discovered({ jsonrpc: '2.0', id: DISCOVER, result: OFFER });
  const get = { jsonrpc: '2.0' as const, id: 1, method: 'tasks/get', params: { taskId: 'a-1' } };
  const declared = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
  const spoken = modern.outgoing(get, true);
  expect(spoken).toMatchObject({ params: { taskId: 'a-1', _meta: { 'io.modelcontextprotocol/clientCapabilities': declared } } });
  expect(spoken && modern.headers(spoken)).toMatchObject({ 'mcp-method': 'tasks/get', 'mcp-name': 'a-1' });
  expect(modern.outgoing({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'x' } })).toMatchObject({
    params: { _meta: META },
  });
});

describe('a server of before', () => {
  const refusal = { jsonrpc: '2.0', id: DISCOVER, error: { code: -32601, message: 'Method not found' } };

  test.each([refusal, undefined])('is spoken to as before where nobody insists', (answer) => {
    const modern = asked(AUTOMATIC);
    expect(modern.discovered(answer)).toEqual({ next: 'initialize', message: INITIALIZE });
    const call = { jsonrpc: '2.0' as const, id: 1, method: 'tools/list' };
    expect(modern.outgoing(call)).toBe(call);
    expect(modern.headers(call)).toEqual({});
  });

  test('is refused where somebody insists, in words that say what to try', () => {
    const found = asked(MODERN).discovered(refusal);
    expect(found).toEqual({ next: 'refuse', error: expect.any(RevisionRefused) });
    expect(String('error' in found && found.error.message)).toMatch(/it answered “Method not found”\. Insist on .* or choose “auto”\.$/);
  });

  test('what it says that it speaks is passed on', () => {
    const modern = asked(MODERN);
    const data = { supported: ['2027-01-01', '2025-11-25'], requested: MODERN };
    const found = modern.discovered({ jsonrpc: '2.0', id: DISCOVER, error: { code: -32022, message: 'no', data } });
    expect(modern.offered).toEqual(data.supported);
    expect(String('error' in found && found.error.message)).toContain('It speaks 2027-01-01, 2025-11-25.');
  });
});

describe('headers', () => {
  function agreed(): Modern {
    const modern = asked(MODERN);
    modern.discovered({ jsonrpc: '2.0', id: DISCOVER, result: OFFER });
    return modern;
  }

  test('a notification that is posted on purpose says its method; a message of the revisions before says nothing', () => {
    const cancel = { jsonrpc: '2.0' as const, method: 'notifications/cancelled', params: { requestId: 1 } };
    expect(agreed().headers(cancel)).toEqual({ 'mcp-method': 'notifications/cancelled' });
    expect(asked(AUTOMATIC).headers(cancel)).toEqual({});
    expect(agreed().headers({ jsonrpc: '2.0', id: 1, result: {} })).toEqual({});
  });

  test('what a tool’s schema marks is repeated', () => {
    const modern = agreed();
    const inputSchema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
    modern.know([{ name: 'route', title: undefined, description: undefined, inputSchema, taskSupport: 'forbidden' }]);
    const call = (name: string) =>
      modern.withMeta({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { region: 'eu west' } } });
    expect(modern.headers(call('route'))).toMatchObject({ 'mcp-name': 'route', 'mcp-param-region': 'eu west' });
    expect(Object.keys(modern.headers(call('other')))).not.toContain('mcp-param-region');
  });
});
