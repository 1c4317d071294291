// A server on the SDK's second version for what revision 2026-07-28 has beside calls: over stdio, or over HTTP with the word `http`.
// `where` asks for the client's folders and tells them; `again` asks to be asked again, for ever; `person` asks a question that
// only a person could answer; `routed` wants an argument in a header too; `grow` adds a tool; `edit` changes the resource.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const NOTE = 'note://it';
const grown = [];
let note = 'one\n';
const says = (text) => ({ content: [{ type: 'text', text }] });

/** @param changed tells of news where no instance lives long enough to do so */
function newServer(changed) {
  const server = new McpServer({ name: 'news', version: '1.0.0' }, { capabilities: { resources: { subscribe: true } } });
  const grow = (name) => server.registerTool(name, { description: 'Has been added.' }, () => says(name));
  server.registerTool('where', { description: 'Asks for folders.' }, ({ mcpReq }) =>
    mcpReq.inputResponses === undefined
      ? inputRequired({ inputRequests: { folders: inputRequired.listRoots() }, requestState: 'mine' })
      : says(JSON.stringify(mcpReq.inputResponses)),
  );
  server.registerTool('again', { description: 'Asks to be asked again.' }, () => inputRequired({ requestState: 'later' }));
  server.registerTool('person', { description: 'Asks a person.' }, () =>
    inputRequired({ inputRequests: { ok: inputRequired.elicit({ message: 'Sure?', requestedSchema: z.object({ ok: z.boolean() }) }) } }),
  );
  const region = z.string().meta({ 'x-mcp-header': 'Region' });
  server.registerTool('routed', { description: 'Is routed.', inputSchema: z.object({ region }) }, ({ region: to }) => says(to));
  server.registerTool('grow', { description: 'Adds a tool.' }, () => {
    const name = `grown_${grown.length}`;
    grown.push(name);
    if (changed) changed.toolsChanged();
    else grow(name);
    return says(name);
  });
  server.registerTool('edit', { description: 'Changes the note.' }, async () => {
    note += 'more\n';
    if (changed) changed.resourceUpdated(NOTE);
    else await server.server.sendResourceUpdated({ uri: NOTE });
    return says('done');
  });
  server.registerResource('note', NOTE, {}, () => ({ contents: [{ uri: NOTE, text: note }] }));
  for (const name of grown) grow(name);
  return server;
}

if (process.argv.includes('http')) {
  const handler = createMcpHandler(() => newServer(handler.notify));
  const server = createServer(toNodeHandler(handler));
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
  process.stdin.once('end', () => process.exit(0)).resume();
} else serveStdio(() => newServer(undefined));
