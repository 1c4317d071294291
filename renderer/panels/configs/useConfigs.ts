// The configurations that the import's list shows: those in the usual places, of folders that were added, and files that
// were chosen or dropped; and which of their servers are chosen.
import { useCallback, useEffect, useState } from 'react';
import { messageOf } from '../../actions';
import { useStopgap } from '../../context';
import { chosenOf, type Listed, withFile, withFound } from './importing';

interface Configs {
  readonly files: readonly Listed[];
  /** Where was looked; undefined while it is being looked. */
  readonly looked: readonly string[] | undefined;
  /** Keys of servers. */
  readonly chosen: ReadonlySet<string>;
  choose(keys: readonly string[], chosen: boolean): void;
  chooseFile(): Promise<void>;
  chooseFolder(): Promise<void>;
}

/** @param path a file to begin with: it alone is shown, until something else is asked for */
export function useConfigs(path: string | undefined): Configs {
  const { actions, feed } = useStopgap();
  const [files, setFiles] = useState<readonly Listed[]>([]);
  const [looked, setLooked] = useState<readonly string[] | undefined>(undefined);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());

  const choose = useCallback((keys: readonly string[], on: boolean): void => {
    setChosen((before) => new Set(on ? [...before, ...keys] : [...before].filter((key) => !keys.includes(key))));
  }, []);

  const look = useCallback(
    async (folders: readonly string[]): Promise<void> => {
      const answer = await actions.ask('config.find', { folders: [...folders] });
      if (answer) setFiles((before) => withFound(before, answer.files));
      setLooked(answer?.looked ?? []);
    },
    [actions],
  );

  const read = useCallback(
    async (file: string): Promise<void> => {
      const listed: Listed = await feed
        .request('config.read', { path: file })
        .catch((error: unknown) => ({ path: file, form: undefined, servers: [], problems: [messageOf(error)] }));
      setFiles((before) => withFile(before, listed));
      setLooked((before) => before ?? []);
      choose(chosenOf(listed), true);
    },
    [feed, choose],
  );

  useEffect(() => {
    void (path === undefined ? look([]) : read(path));
  }, [path, look, read]);

  return {
    files,
    looked,
    chosen,
    choose,
    chooseFile: async () => {
      const file = await actions.chooseConfig('open');
      if (file !== undefined) await read(file);
    },
    chooseFolder: async () => {
      const folder = await actions.chooseFolder('Look for configurations in');
      if (folder !== undefined) await look([folder]);
    },
  };
}
