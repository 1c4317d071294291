// The report as one page that needs nothing else: no script, no font, no address. It says what the window says, in the same
// order: the sentence first, then the lanes, then the evidence.
import { drawingOf } from './drawing';
import { element, escaped } from './markup';
import { pageOf } from './page';
import type { Report, ReportedCall } from './schema';
import { orphanWords } from './tasks';
import { lastedWords, SIGNS } from './words';

/** @param title of the page: the scenario or the trace */
export function htmlOf(report: Report, title: string): string {
  const { server, calls, findings, probes, orphanTasks, expectations } = report;
  const about = server === null ? 'No server was reached.' : `${server.name} ${server.version} · ${server.protocol} · ${server.transport}`;
  const body = [
    element('header', {}, [element('h1', {}, [escaped(title)]), paragraph(about, 'faint'), paragraph(summary(report), 'summary')]),
    drawingOf(report),
    calls.length === 0 ? paragraph('No tool was called.') : '',
    ...calls.map(callSection),
    list(
      'Findings',
      findings.map(
        ({ finding, severity, seq, sentence, lastsMs }) => `${SIGNS[severity]} ${finding}: ${sentence}${lastedWords(lastsMs)} [${seq}]`,
      ),
    ),
    list(
      'Probes',
      probes.map(
        ({ name, kind, watchedFromMs, watchedToMs, gaps }) =>
          `${name} (${kind}) watched from ${Math.round(watchedFromMs)} ms to ${Math.round(watchedToMs)} ms${gaps.length === 0 ? ', without a gap' : `; could not watch: ${gaps.map(({ why }) => why).join('; ')}`}`,
      ),
    ),
    list(
      'Tasks that nobody asks for any more',
      orphanTasks.map((task) => `${orphanWords(task)} [${task.seq}]`),
    ),
    list(
      'Expectations',
      expectations.map(({ ok, expected, saw }) => `${ok ? '✓' : '✗'} ${expected}${ok ? '' : `; saw ${saw}`}`),
    ),
  ];
  return pageOf(title, body);
}

function summary({ calls }: Report): string {
  const of = (severity: ReportedCall['severity']): number => calls.filter((call) => call.severity === severity).length;
  const parts = [
    `${calls.length} ${calls.length === 1 ? 'call' : 'calls'}`,
    `${SIGNS.breach} ${of('breach')}`,
    `${SIGNS.warn} ${of('warn')}`,
  ];
  return parts.join('   ');
}

const paragraph = (text: string, name?: string): string => element('p', { class: name }, [escaped(text)]);

const list = (title: string, lines: readonly string[]): string =>
  lines.length === 0
    ? ''
    : element('section', {}, [
        element('h2', {}, [title]),
        element(
          'ul',
          {},
          lines.map((line) => element('li', {}, [escaped(line)])),
        ),
      ]);

function callSection(call: ReportedCall): string {
  const { name, verdict, severity, certainty, sentence, stop, reply, effect, because, callerSaw, settled, http, task } = call;
  const lane = (label: string, state: string, sure: string, says: string): string =>
    element('tr', {}, [
      element('th', { scope: 'row' }, [label]),
      element('td', {}, [element('code', {}, [escaped(state)]), ` ${escaped(sure)}`]),
      element('td', {}, [escaped(says)]),
    ]);
  const saying = (lines: ReportedCall['because']): string => lines.map(({ seq, says }) => `${says} [${seq}]`).join('; ');
  return element('section', { class: `call ${severity}` }, [
    element('h2', {}, [
      `<span class="sign">${SIGNS[severity]}</span> ${escaped(name)} `,
      element('code', {}, [escaped(verdict)]),
      ` <span class="faint">${escaped(certainty)}${settled ? '' : ', not settled yet'}</span>`,
    ]),
    paragraph(sentence, 'sentence'),
    element('table', {}, [
      lane('stop', stop.state, stop.certainty, saying(stop.because)),
      lane('reply', reply.state, reply.certainty, saying(reply.because)),
      lane('effect', effect.state, effect.certainty, saying(effect.because)),
    ]),
    element(
      'ol',
      { class: 'because' },
      because.map(({ seq, says }) => element('li', {}, [`<b>${seq}</b> ${escaped(says)}`])),
    ),
    http === null ? '' : paragraph(`Over HTTP: ${http.says}`, 'faint'),
    task === null ? '' : paragraph(`As a task: ${task.says}`, 'faint'),
    paragraph(`The caller saw: ${callerSaw}`, 'faint'),
  ]);
}
