// VS Code: `mcp.json` of a person or in `.vscode`, and `mcp` in older settings. JSON with comments; `${input:ID}` asks, and
// `inputs` says what for.
import { applicationData, pathsOf, tail } from './form';
import { asked, askingHoles } from './holes';
import { jsonForm } from './json-form';
import { isTable } from './text';

const EDITIONS = ['Code', 'Code - Insiders', 'VSCodium'];

export const vscode = jsonForm({
  form: 'vscode',
  named: (path) => tail(path, 2) === '.vscode/mcp.json' || tail(path, 2) === 'User/mcp.json',
  places: (where) => {
    const { join } = pathsOf(where.platform);
    const ofPerson = EDITIONS.map((edition) => join(applicationData(where), edition, 'User', 'mcp.json'));
    return [...ofPerson, ...where.folders.map((folder) => join(folder, '.vscode', 'mcp.json'))];
  },
  shelves: ({ servers, mcp }) => [{ path: servers === undefined && isTable(mcp) ? ['mcp', 'servers'] : ['servers'] }],
  holes: askingHoles,
  // An id of its own for each server: two servers may each want an API_KEY, and not the same one.
  // What is made of a header has the server's name already.
  reference: (input, { name, spec, inputs }) => {
    const own = spec.kind === 'http' || inputs?.some((known) => known.id === input.id);
    const id = own ? input.id : `${name}-${input.id}`.replaceAll('}', '');
    return { id, text: asked(id) };
  },
  // Its http falls back to the older transport by itself.
  transports: { url: 'auto', http: 'auto', sse: 'sse' },
  stdio: ({ command, args, env, cwd }) => ({ type: 'stdio', command, args, cwd, env }),
  http: ({ url, headers }, transport) => ({ type: transport === 'sse' ? 'sse' : 'http', url, headers }),
  cwd: true,
  ignored: { sandboxEnabled: 'the editor runs this server in a sandbox; here it runs without one' },
  inputs: true,
});
