// A probe as one word of the command line: `KIND:WHERE`.
import { unreachable } from '../base/unreachable';
import type { ProbeSpec } from './probe';

/** The word for a probe, as far as one word can say it; passwords in addresses are masked. */
export function probeWord(spec: ProbeSpec): string {
  switch (spec.kind) {
    case 'folder':
      return `folder:${spec.path}`;
    case 'http':
      return `http:${spec.port}`;
    case 'sql':
      return `sql:${spec.dsn.replace(/(:\/\/[^:/@]*):[^@]*@/, '$1:***@')}::${spec.query}`;
    case 'read':
      return `read:${'tool' in spec.read ? spec.read.tool : spec.read.resource}`;
    case 'command':
      return `command:${spec.command.join(' ')}`;
    case 'process':
      return 'process:';
    case 'otel':
      return `otel:${spec.port}`;
    default:
      return unreachable(spec);
  }
}
