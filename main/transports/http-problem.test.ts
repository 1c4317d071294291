import { expect, test } from 'vitest';
import { excerptOf } from './http-problem';

test.each<[string, string | undefined, boolean]>([
  ['', undefined, false],
  ['  busy \n now ', 'busy now', false],
  ['<!DOCTYPE html><html><head><title> Sign\n in </title></head><body>x</body></html>', 'Sign in', true],
  ['<!-- a --> <html><title></title><style>p{}</style><body><h1>502</h1> Bad Gateway</body></html>', '502 Bad Gateway', true],
  ['<?xml version="1.0"?><error/>', '<?xml version="1.0"?><error/>', false],
  ['{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request"},"id":null}', 'Bad Request', false],
  ['{"error":"invalid_token","error_description":"It has expired"}', 'It has expired', false],
  ['{"detail":"Not Found"}', 'Not Found', false],
  ['{"error":"nope"}', 'nope', false],
  ['{"status":"ok"}', '{"status":"ok"}', false],
  ['null', 'null', false],
  ['x'.repeat(500), `${'x'.repeat(160)}…`, false],
])('what a body says: %j', (body, says, page) => {
  expect(excerptOf(body)).toEqual({ says, page });
});
