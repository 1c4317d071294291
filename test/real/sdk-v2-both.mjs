// The small server on the SDK's second version over stdio, in the way in which it speaks both eras: PLACE LOG GATES [STARTS]. Every
// start of the process is a line in the file STARTS.
import { appendFileSync } from 'node:fs';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { effects, whereOf } from '../truth/servers/effects.mjs';
import { newServer } from './sdk-v2-server.mjs';

const [, , , starts] = process.argv.slice(2);
if (starts !== undefined) appendFileSync(starts, `${process.pid}\n`);
const doings = effects(whereOf(process.argv.slice(2)));
serveStdio(() => newServer(doings.perform));
