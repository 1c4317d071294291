// A report card as one page that needs nothing else: no script, no font, no address.
import { element, escaped } from '../markup';
import { pageOf } from '../page';
import type { CheckReport, ReportedLine } from './schema';
import { checkOf, type Group, groupsOf, headOf, ownLines, STATUS_SIGNS, STATUS_WORDS, sumsOf } from './words';

export function checkHtml(report: CheckReport): string {
  const head = element('header', {}, [
    element('h1', {}, ['Cancellation report card']),
    paragraph(headOf(report), 'faint'),
    paragraph(`${report.interrupted ? 'Ended early. ' : ''}${sumsOf(report)}`, 'summary'),
  ]);
  return pageOf('Cancellation report card', [head, ...groupsOf(report).map(groupSection)]);
}

const paragraph = (text: string, name?: string): string => element('p', { class: name }, [escaped(text)]);

function groupSection(group: Group): string {
  return element('section', { class: 'card' }, [
    element('h2', {}, [group.tool === null ? 'The server' : element('code', {}, [escaped(group.tool)])]),
    group.untried === undefined ? '' : paragraph(`Not tried: ${group.untried}`, 'faint'),
    element('table', {}, ownLines(group).map(row)),
  ]);
}

function row({ check, status, sentence, source, because }: ReportedLine): string {
  const frames = because.map(({ seq, says }) => element('li', {}, [`<b>${seq}</b> ${escaped(says)}`]));
  return element('tr', { class: status }, [
    element('th', { scope: 'row', class: 'sign' }, [`<span title="${STATUS_WORDS[status]}">${STATUS_SIGNS[status]}</span>`]),
    element('td', {}, [element('code', {}, [escaped(check)])]),
    element('td', {}, [
      escaped(sentence),
      status === 'fail' ? paragraph(checkOf(check).fix, 'faint') : '',
      frames.length === 0 ? '' : element('ol', { class: 'because' }, frames),
      paragraph(source, 'faint'),
    ]),
  ]);
}
