// The list of probes: one line for each kind.
import type { ProbeSpec, StartProbe } from '../../app/evidence/probe';
import { checkFolder, startFolderProbe } from './folder';

/** Starts a probe of any kind. */
export const startProbe: StartProbe = (spec, context) => {
  switch (spec.kind) {
    case 'folder':
      return startFolderProbe(spec, context);
  }
};

/**
 * Says quickly whether a place can be watched, without watching it.
 * @returns undefined when it can, else why not and what to try
 */
export function checkProbe(spec: ProbeSpec): Promise<string | undefined> {
  switch (spec.kind) {
    case 'folder':
      return checkFolder(spec);
  }
}
