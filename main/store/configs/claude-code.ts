// Claude Code: `.mcp.json` of a project, and `~/.claude.json`, which holds a person's own servers and those for single
// projects. `${NAME}` and `${NAME:-default}` are filled in from the environment.
import { pathsOf, tail, type Where } from './form';
import { shellHoles } from './holes';
import { jsonForm, type Shelf } from './json-form';
import { variableName } from './outgoing';
import { isTable } from './text';

export const claudeCode = jsonForm({
  form: 'claude-code',
  named: (path) => ['.mcp.json', '.claude.json'].includes(tail(path, 1)),
  places: (where: Where) => {
    const { join } = pathsOf(where.platform);
    return [
      join(where.env['CLAUDE_CONFIG_DIR'] || where.home, '.claude.json'),
      ...where.folders.map((folder) => join(folder, '.mcp.json')),
    ];
  },
  shelves: (root) => [{ path: ['mcpServers'] }, ...ofProjects(root['projects'])],
  holes: shellHoles,
  reference: (input) => {
    const id = variableName(input.id);
    return { id, text: `\${${id}${input.default === undefined ? '' : `:-${input.default}`}}` };
  },
  transports: { url: 'auto', http: 'http', sse: 'sse' },
  stdio: ({ command, args, env }) => ({ type: 'stdio', command, args, env }),
  http: ({ url, headers }, transport) => ({ type: transport === 'sse' ? 'sse' : 'http', url, headers }),
  cwd: false,
  ignored: { headersHelper: 'the program that makes the headers is not run: give them yourself' },
});

function ofProjects(projects: unknown): readonly Shelf[] {
  if (!isTable(projects)) return [];
  return Object.keys(projects).map((project) => ({ path: ['projects', project, 'mcpServers'], project }));
}
