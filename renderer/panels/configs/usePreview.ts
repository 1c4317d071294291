// What an export would write, asked for again whenever something of it changes. Nothing is written by asking.
import { useEffect, useState } from 'react';
import type { WrittenConfig } from '../../../app/contract/host';
import type { ConfigForm } from '../../../app/contract/server';
import { messageOf } from '../../actions';
import { useStopgap } from '../../context';

export interface Export {
  readonly form: ConfigForm;
  readonly ids: readonly string[];
  /** Empty for a text that goes into no file. */
  readonly path: string;
  readonly secrets: boolean;
}

export type Preview =
  | { readonly state: 'none' }
  | { readonly state: 'written'; readonly written: WrittenConfig }
  | { readonly state: 'refused'; readonly why: string };

/** How long typing has to rest, in ms. */
const REST_MS = 150;

export function usePreview({ form, ids, path, secrets }: Export): Preview {
  const { feed } = useStopgap();
  const [preview, setPreview] = useState<Preview>({ state: 'none' });
  const chosen = ids.join('\n');
  useEffect(() => {
    if (chosen === '') {
      setPreview({ state: 'none' });
      return undefined;
    }
    let wanted = true;
    const show = (next: Preview): void => {
      if (wanted) setPreview(next);
    };
    const timer = setTimeout(() => {
      feed
        .request('config.write', { form, ids: chosen.split('\n'), secrets, preview: true, ...(path === '' ? {} : { path }) })
        .then((written) => show({ state: 'written', written }))
        .catch((error: unknown) => show({ state: 'refused', why: messageOf(error) }));
    }, REST_MS);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [feed, form, chosen, path, secrets]);
  return preview;
}
