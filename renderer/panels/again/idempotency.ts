// An argument by which a server can tell a retry from a second order. Nothing in MCP names one; servers call it by a few
// names, and a schema that has one of them is worth pointing at before a retry.
import type { Tool } from '../../../app/contract/host';

const KEY =
  /^(?:idempoten(?:cy|t)[-_ ]?(?:key|id|token)?|request[-_ ]?id|client[-_ ]?(?:request[-_ ]?)?(?:id|token)|dedup(?:e|lication)?[-_ ]?(?:key|id)?)$/i;

/** The name of the tool's idempotency key, where its schema has one. */
export function idempotencyKeyOf(tool: Tool): string | undefined {
  const properties = tool.inputSchema['properties'];
  if (typeof properties !== 'object' || properties === null) return undefined;
  return Object.keys(properties).find((name) => KEY.test(name.replace(/([a-z])([A-Z])/g, '$1_$2')));
}
