// The same server as sdk-v2.mjs behind the handler for HTTP of the SDK's second version: PLACE LOG GATES. Every request has an
// instance of its own; a cancel that is posted reaches none of them, a connection that is dropped does.
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { effects, whereOf } from '../truth/servers/effects.mjs';
import { listen } from '../truth/servers/over-http.mjs';
import { newServer } from './sdk-v2-server.mjs';

const doings = effects(whereOf(process.argv.slice(2)));
listen(doings, toNodeHandler(createMcpHandler(() => newServer(doings.perform))));
