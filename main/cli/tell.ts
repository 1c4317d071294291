// What a run has to say: JSON with nothing else on stdout, or the text report.
import { textOf } from '../../app/report/text';
import { wrapped } from '../../app/report/words';
import type { Performed } from './perform';
import { type ColorChoice, painter, print, width } from './terminal';

export interface Told {
  readonly title: string | undefined;
  readonly performed: Performed;
}

/** One report is an object; those of several scenarios are a list. */
export async function tell(
  told: readonly Told[],
  { json, color }: { readonly json: boolean | undefined; readonly color: ColorChoice },
): Promise<void> {
  if (json) {
    const reports = told.map(({ performed }) => performed.report);
    await print(`${JSON.stringify(reports.length === 1 ? reports[0] : reports, undefined, 2)}\n`);
    return;
  }
  for (const { title, performed } of told) {
    const paint = painter(color);
    const options = { width: width(), paint };
    const lines = [
      ...(title === undefined ? [] : [paint('strong', title), '']),
      ...textOf(performed.judged, performed.report, options),
      ...(performed.surprises.length === 0
        ? []
        : [
            '',
            paint('breach', 'Found, and expected by nobody'),
            ...performed.surprises.flatMap((line) => wrapped(line, options.width - 2).map((text) => `  ${text}`)),
          ]),
      '',
    ];
    await print(`${lines.join('\n')}\n`);
  }
}
