// One step of an HTTP exchange as one line of the wire log: which exchange, what it carries, its status, its times, its bytes.
import { minus, words } from '../../../app/base/time';
import { cargoOf, type Exchange, exchangeName, isTaken } from '../../../app/trace/exchanges';
import type { Http, RequestId } from '../../../app/wire/frame';
import { idText, keyOf } from '../../../app/wire/jsonrpc';
import type { Part } from './wireRow';

/**
 * @param exchange what is known of it besides this step
 * @param closes closing a response is its cancel here
 */
export function httpRow(http: Http, exchange: Exchange | undefined, closes: boolean): Part {
  const name = exchange ? exchangeName(exchange) : `exchange #${http.exchange}`;
  switch (http.http) {
    case 'request':
      return requestRow(http, exchange, name);
    case 'response': {
      const type = http.headers['content-type']?.split(';')[0];
      const tail = [type, since(exchange, exchange?.response?.t, 'after its request')].filter(Boolean).join(', ');
      return { sign: '⇠', role: isTaken(http.status) ? 'quiet' : 'breach', head: `${name}: ${http.status}`, tail };
    }
    case 'opened':
      return { sign: '⇠', role: 'quiet', head: `${name}: event stream`, tail: 'open from here' };
    case 'event': {
      const parts = [
        http.name,
        http.id === undefined ? undefined : `id ${http.id}`,
        http.retry === undefined ? undefined : `retry ${http.retry} ms`,
      ];
      return { sign: '⇠', role: 'quiet', head: `${name}: event`, tail: `${parts.filter(Boolean).join(', ')}, no message` };
    }
    case 'ended':
      return { sign: '⇠', role: 'quiet', head: `${name}: ended`, tail: sum(http, exchange) };
    case 'cut': {
      const why = http.by === 'close' ? 'closed with the session' : closes ? 'closed from here: that is the cancel' : 'closed from here';
      return { sign: '·', role: http.by === 'drop' ? 'cancel' : 'quiet', head: `${name}: cut`, tail: `${why}, ${sum(http, exchange)}` };
    }
    case 'failed': {
      const code = http.code === undefined ? '' : ` (${http.code})`;
      return { sign: '·', role: 'breach', head: `${name}: failed`, tail: `${http.why}${code}, ${sum(http, exchange)}` };
    }
  }
}

function requestRow(http: Extract<Http, { http: 'request' }>, exchange: Exchange | undefined, name: string): Part {
  const cargo = exchange && cargoOf(exchange);
  const about = http.cancels ?? http.id;
  const size = http.bytes > 0 ? `, ${bytes(http.bytes)}` : '';
  return {
    sign: '⇢',
    role: cargo === 'cancel' ? 'cancel' : 'quiet',
    head: name,
    ...(about === undefined ? {} : { id: idOf(about) }),
    tail: `${pathOf(http.url)}${cargo === undefined ? '' : `, ${CARGO[cargo](http)}`}${size}`,
  };
}

const CARGO: Readonly<Record<NonNullable<ReturnType<typeof cargoOf>>, (http: Extract<Http, { http: 'request' }>) => string>> = {
  call: () => 'a request',
  cancel: () => 'a cancel',
  message: () => 'a message',
  stream: () => 'opens an event stream',
  resumption: ({ resumes }) => `takes up the stream behind event ${resumes ?? ''}`,
  end: () => 'ends the session',
  auth: () => 'authorization',
};

const idOf = (id: RequestId): string => idText(keyOf(id));

/** What an address points at on its server, as it was recorded. */
function pathOf(url: string): string {
  try {
    const { pathname, search } = new URL(url);
    return `${pathname}${search}`;
  } catch {
    return url;
  }
}

const bytes = (count: number): string => (count === 1 ? '1 byte' : `${count.toLocaleString('en')} bytes`);

function sum({ bytes: count, events }: { readonly bytes: number; readonly events: number }, exchange: Exchange | undefined): string {
  const parts = [
    bytes(count),
    events > 0 ? `${events} ${events === 1 ? 'event' : 'events'}` : '',
    since(exchange, exchange?.end?.t, 'in all'),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function since(exchange: Exchange | undefined, t: Parameters<typeof minus>[0] | undefined, what: string): string {
  const began = exchange?.request?.t;
  return began === undefined || t === undefined ? '' : `${words(minus(t, began))} ${what}`;
}
