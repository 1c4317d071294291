import { expect, test } from 'vitest';
import { failureOf, type Progress } from './http-failure';

const error = (code: string | undefined, message = 'no'): Error => Object.assign(new Error(message), code === undefined ? {} : { code });

test.each<[Progress, Error, string, RegExp]>([
  ['begun', error('ECONNREFUSED'), 'connect', /refused: nothing listens there/],
  ['begun', Object.assign(new AggregateError([error('ECONNREFUSED')]), {}), 'connect', /refused/],
  ['begun', Object.assign(new Error('fetch failed'), { cause: error('ENOTFOUND') }), 'connect', /name of the host is not known/],
  ['begun', error('UND_ERR_CONNECT_TIMEOUT'), 'connect', /no connection came about in time/],
  ['begun', error('EWEIRD', 'odd'), 'connect', /no connection came about: odd/],
  ['begun', error(undefined, 'odd'), 'connect', /no connection came about: odd/],
  ['begun', error('DEPTH_ZERO_SELF_SIGNED_CERT'), 'tls', /self-signed/],
  ['begun', error('CERT_HAS_EXPIRED'), 'tls', /has expired/],
  ['begun', error('ERR_TLS_CERT_ALTNAME_INVALID'), 'tls', /for another host name/],
  ['begun', error('ERR_SSL_WRONG_VERSION_NUMBER'), 'tls', /does not speak TLS/],
  ['begun', error('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'alert'), 'tls', /no encrypted connection came about: alert/],
  ['connected', error('ECONNRESET'), 'send', /closed the connection before the request had been written/],
  ['written', error('UND_ERR_SOCKET'), 'head', /closed the connection without answering/],
  ['written', error('HPE_INVALID_CONSTANT', 'Expected HTTP/'), 'head', /what came back is not HTTP/],
  ['answered', error('UND_ERR_SOCKET'), 'body', /closed the connection in the middle of the response/],
  ['answered', error('HPE_INVALID_CHUNK_SIZE', 'bad'), 'body', /broke off, and what came then is not HTTP/],
  ['answered', error('EWEIRD', 'odd'), 'body', /failed in the middle of the response: odd/],
])('%s, %s', (progress, thrown, phase, why) => {
  expect(failureOf(thrown, progress)).toMatchObject({ phase, why: expect.stringMatching(why) });
});
