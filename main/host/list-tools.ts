// The list of tools, page by page, in the form in which the window shows it.
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import { ListToolsResultSchema, type Tool as SdkTool } from '@modelcontextprotocol/sdk/types.js';
import type { TaskAbilities, TaskSupport, Tool } from '../../app/contract/host';

/** All pages of `tools/list`, in order. A server that repeats a cursor would be asked for ever: its list ends there. */
export async function listTools(client: Client, options: RequestOptions, tasks: TaskAbilities | undefined): Promise<readonly Tool[]> {
  const tools: Tool[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  do {
    if (cursor !== undefined) cursors.add(cursor);
    const params = cursor === undefined ? {} : { cursor };
    // Not `client.listTools`, which compiles every tool's schemas for checks that nothing here asks for.
    const page = await client.request({ method: 'tools/list', params }, ListToolsResultSchema, options);
    tools.push(...page.tools.map((tool) => toolOf(tool, tasks)));
    cursor = page.nextCursor;
  } while (cursor !== undefined && !cursors.has(cursor));
  return tools;
}

function toolOf({ name, title, description, inputSchema, annotations = {}, execution }: SdkTool, tasks: TaskAbilities | undefined): Tool {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  return {
    name,
    title: title ?? annotations.title,
    description,
    inputSchema,
    taskSupport: taskSupportOf(execution?.taskSupport, tasks),
    ...(readOnlyHint === undefined ? {} : { readOnly: readOnlyHint }),
    ...(destructiveHint === undefined ? {} : { destructive: destructiveHint }),
    ...(idempotentHint === undefined ? {} : { idempotent: idempotentHint }),
    ...(openWorldHint === undefined ? {} : { openWorld: openWorldHint }),
  };
}

/** See {@link TaskSupport}. */
function taskSupportOf(declared: TaskSupport | undefined, tasks: TaskAbilities | undefined): TaskSupport {
  if (!tasks?.calls) return 'forbidden';
  return tasks.form === 'extension' ? 'optional' : (declared ?? 'forbidden');
}
