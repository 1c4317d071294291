// The small server on the SDK's first version, over stdio: PLACE LOG GATES.
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { effects, whereOf } from './effects.mjs';
import { newServer } from './sdk-v1-server.mjs';

await newServer('sdk-v1', effects(whereOf(process.argv.slice(2))).perform).connect(new StdioServerTransport());
