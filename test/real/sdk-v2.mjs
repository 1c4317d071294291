// The small server on the SDK's second version, over stdio: PLACE LOG GATES.
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { effects, whereOf } from '../truth/servers/effects.mjs';
import { newServer } from './sdk-v2-server.mjs';

await newServer(effects(whereOf(process.argv.slice(2))).perform).connect(new StdioServerTransport());
