// The forms in which a report card is written.
import { unreachable } from '../../app/base/unreachable';
import { checkHtml } from '../../app/report/check/html';
import { checkJunit } from '../../app/report/check/junit';
import { checkMarkdown } from '../../app/report/check/markdown';
import type { CheckReport } from '../../app/report/check/schema';
import { checkText } from '../../app/report/check/text';
import type { Paint } from '../../app/report/words';

export const CHECK_FORMS = ['text', 'json', 'markdown', 'html', 'junit'] as const;
export type CheckForm = (typeof CHECK_FORMS)[number];

export function cardIn(form: CheckForm, report: CheckReport, { width, paint }: { readonly width: number; readonly paint: Paint }): string {
  switch (form) {
    case 'text':
      return `${checkText(report, width, paint).join('\n')}\n`;
    case 'json':
      return `${JSON.stringify(report, undefined, 2)}\n`;
    case 'markdown':
      return checkMarkdown(report);
    case 'html':
      return checkHtml(report);
    case 'junit':
      return checkJunit(report);
    default:
      return unreachable(form);
  }
}
