import { describe, expect, test } from 'vitest';
import { carriedBy, maskedUrl, requestHeaders, responseHeaders } from './http-headers';

describe('the headers of a request', () => {
  test('what MCP has is shown, what only connects is not, what somebody configured is named', () => {
    expect(
      requestHeaders({
        Accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'Mcp-Protocol-Version': '2025-11-25',
        'last-event-id': '7',
        'mcp-method': 'tools/call',
        'mcp-name': 'charge',
        'accept-encoding': 'identity',
        'user-agent': 'stopgap/1',
        'X-Team': 'payments',
        Cookie: 'session=abc',
      }),
    ).toEqual({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-11-25',
      'last-event-id': '7',
      'mcp-method': 'tools/call',
      'mcp-name': 'charge',
      'x-team': '•••',
      cookie: '•••',
    });
  });

  test.each([
    ['Bearer abc.def', 'Bearer •••'],
    ['Basic YWRhOnB3', 'Basic •••'],
    ['abcdef', '•••'],
    ['', '•••'],
  ])('of an authorization only the scheme: %s', (given, shown) => {
    expect(requestHeaders({ Authorization: given })).toEqual({ authorization: shown });
  });

  test.each([
    ['0b9f6f2e-1234', '0b9f…'],
    ['short', '•••'],
  ])('a session id cannot be used by who reads it: %s', (id, shown) => {
    expect(requestHeaders({ 'mcp-session-id': id })).toEqual({ 'mcp-session-id': shown });
    expect(responseHeaders({ 'Mcp-Session-Id': id })).toEqual({ 'mcp-session-id': shown });
  });
});

describe('the headers of a response', () => {
  test('what is not known to be harmless is left out', () => {
    expect(
      responseHeaders({
        'content-type': 'text/html; charset=utf-8',
        server: 'nginx',
        via: '1.1 proxy',
        'retry-after': '30',
        'cache-control': 'no-store',
        'content-length': '17',
        'set-cookie': 'a=b',
        'x-request-id': '17',
        date: 'today',
      }),
    ).toEqual({
      'content-type': 'text/html; charset=utf-8',
      server: 'nginx',
      via: '1.1 proxy',
      'retry-after': '30',
      'cache-control': 'no-store',
      'content-length': '17',
    });
  });

  test('a challenge is shown without what could be used', () => {
    const challenge =
      'Bearer realm="mcp", error="invalid_token", resource_metadata="https://ada:pw@as.example/x?token=abc", nonce="n0nce", scope="a b"';
    expect(responseHeaders({ 'www-authenticate': challenge })).toEqual({
      'www-authenticate':
        'Bearer realm="mcp", error="invalid_token", resource_metadata="https://•••@as.example/x?token=•••", nonce=•••, scope="a b"',
    });
    expect(responseHeaders({ 'www-authenticate': 'Negotiate YIIabcdefghijklmnop==' })).toEqual({ 'www-authenticate': 'Negotiate •••' });
  });

  test('a long one is cut', () => {
    expect(responseHeaders({ server: 'x'.repeat(1000) })['server']).toHaveLength(401);
  });
});

test.each([
  ['http://127.0.0.1:3000/mcp', 'http://127.0.0.1:3000/mcp'],
  [
    'https://ada:pw@shop.example/mcp?tenant=7&api_key=abc&Access-Token=x&q',
    'https://•••@shop.example/mcp?tenant=7&api_key=•••&Access-Token=•••&q',
  ],
  ['https://as.example/cb?code=abc&state=1#access_token=x', 'https://as.example/cb?code=•••&state=1#•••'],
  ['/messages?sessionId=abc', '/messages?sessionId=•••'],
  ['//ada@host/x', '//•••@host/x'],
  ['https://shop.example/a%20b?%74oken=x', 'https://shop.example/a%20b?%74oken=•••'],
  ['https://shop.example/?%zz=x', 'https://shop.example/?%zz=x'],
])('an address without its secrets: %s', (given, shown) => {
  expect(maskedUrl(given)).toBe(shown);
});

test.each<[unknown, object]>([
  [{ id: 0, method: 'ping' }, { id: 0 }],
  [{ id: '', method: 'ping' }, { id: '' }],
  [{ method: 'notifications/cancelled', params: { requestId: '5' } }, { cancels: '5' }],
  [{ method: 'notifications/cancelled', params: {} }, {}],
  [{ method: 'notifications/cancelled' }, {}],
  [{ method: 'notifications/initialized' }, {}],
  [{ id: 1, result: {} }, {}],
  [{ id: null, method: 'ping' }, {}],
  ['text', {}],
  [null, {}],
])('what an exchange is found by: %j', (message, found) => {
  expect(carriedBy(message)).toEqual(found);
});
