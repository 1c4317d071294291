// A server that does what each call tells it to, and writes down what it did: PLACE LOG GATES [OPTION…]. Raw JSON-RPC, no
// library, so that nothing tidies up what it does.
//
// A call's arguments: `as` (its name in the log), `steps`, `onCancel` (steps performed when its cancel is read), `abort`
// (whether its steps end then).
// Options: `serial` (reads nothing while a call runs), `deaf=ID,…` (ids, as JSON, whose cancel it overlooks), `mistaken`
// (takes a cancel for another call's), `echo` (answers notifications, without an id), `strict` (drops a cancel whose reason
// is no text), `mute-initialize` (never answers an initialize that was cancelled), `dies-of-it` (ends at a cancel that
// comes before the handshake is over), `modern` (knows revision 2026-07-28 as well).
import { createInterface } from 'node:readline';
import { Aborted, effects, whereOf } from './effects.mjs';

const options = process.argv.slice(5);
const has = (option) => options.includes(option);
const deaf = options.flatMap((option) => (option.startsWith('deaf=') ? option.slice(5).split(',') : []));
const { note, stamp, perform } = effects(whereOf(process.argv.slice(2)));

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const result = (text, isError) => ({ content: [{ type: 'text', text }], ...(isError && { isError }) });
const other = (id) => (typeof id === 'number' ? String(id) : Number(id));

const HINTS = {
  run: undefined,
  read: { readOnlyHint: true },
  repeat: { idempotentHint: true },
};
const tools = Object.entries(HINTS).map(([name, annotations]) => ({
  name,
  description: 'Does what its arguments say.',
  inputSchema: { type: 'object' },
  ...(annotations && { annotations }),
}));

/** Calls that run, oldest first. */
let running = [];
let asked = 0;
let ready = false;

const speaking =
  ({ id, token, call }) =>
  async (step) => {
    const [verb] = Object.keys(step);
    switch (verb) {
      case 'answer':
        send({ id, result: result(step.answer) });
        return true;
      case 'answerAs':
        send({ id: other(id), result: result(step.answerAs) });
        return true;
      case 'answerNobody':
        send({ result: result(step.answerNobody) });
        return true;
      case 'fail':
        send({ id, result: result(step.fail, true) });
        return true;
      case 'error':
        send({ id, error: { code: step.error, message: step.message } });
        return true;
      case 'progress':
        for (let n = 0; n < step.progress; n++)
          send({ method: 'notifications/progress', params: { progressToken: token, progress: n + 1 } });
        return true;
      case 'log':
        send({ method: 'notifications/message', params: { level: 'info', data: step.log } });
        return true;
      // Numbered from 0 on, as the client's own requests are.
      case 'ask':
        send({ id: step.id ?? asked++, method: step.ask, params: step.params ?? {} });
        return true;
      case 'takeBack':
        send({ method: 'notifications/cancelled', params: { requestId: step.takeBack } });
        return true;
      case 'cancelled':
        await call.cancelled;
        return true;
      default:
        return false;
    }
  };

function begin({ id, params }) {
  const { as, steps = [], onCancel = [], abort = false } = params.arguments ?? {};
  const call = { id, as, onCancel, abort, aborted: false };
  call.cancelled = new Promise((resolve) => {
    call.tellCancelled = resolve;
  });
  call.step = speaking({ id, token: params._meta?.progressToken, call });
  running.push(call);
  note({ entry: 'call', as, id, at: stamp() });
  return perform(steps, { as, aborted: () => call.aborted, step: call.step })
    .catch((error) => {
      if (!(error instanceof Aborted)) throw error;
    })
    .finally(() => {
      running = running.filter((one) => one !== call);
      note({ entry: 'over', as, at: stamp() });
    });
}

function cancel({ params }) {
  const at = stamp();
  const named = running.findLast((call) => call.id === params?.requestId);
  note({ entry: 'cancel', id: params?.requestId ?? null, at, ...(named && { as: named.as }) });
  if (!ready && has('dies-of-it')) process.exit(1);
  if (deaf.includes(JSON.stringify(params?.requestId))) return;
  if (has('strict') && params.reason !== undefined && typeof params.reason !== 'string') return;
  const call = has('mistaken') ? running.find((one) => one !== named) : named;
  if (!call) return;
  call.aborted = call.abort;
  call.tellCancelled();
  void perform(call.onCancel, { as: call.as, step: call.step });
}

let initializing;
const handle = {
  initialize: ({ id, params }) => {
    const { protocolVersion } = params;
    const answer = () =>
      send({ id, result: { protocolVersion, capabilities: { tools: {}, logging: {} }, serverInfo: { name: 'truth', version: '1.0.0' } } });
    if (!has('mute-initialize')) return answer();
    // Answers a moment later, unless it has been cancelled by then.
    initializing = setTimeout(answer, 50);
  },
  'notifications/initialized': () => {
    ready = true;
  },
  ...(has('modern') && {
    'server/discover': ({ id }) =>
      send({ id, result: { resultType: 'complete', supportedVersions: ['2026-07-28', '2025-11-25'], capabilities: { tools: {} } } }),
  }),
  ping: ({ id }) => send({ id, result: {} }),
  'tools/list': ({ id }) => send({ id, result: { tools } }),
  'tools/call': begin,
  'notifications/cancelled': (message) => {
    clearTimeout(initializing);
    cancel(message);
  },
};

let turn = Promise.resolve();
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const message = JSON.parse(line);
    const act = () => {
      if (has('echo') && message.method?.startsWith('notifications/'))
        send({ error: { code: -32601, message: `method not found: ${message.method}` } });
      const handler = handle[message.method];
      if (handler) return handler(message);
      if (message.method !== undefined && message.id !== undefined)
        send({ id: message.id, error: { code: -32601, message: `Method not found: ${message.method}` } });
    };
    if (has('serial')) turn = turn.then(act);
    else void act();
  })
  .on('close', () => process.exit(0));
