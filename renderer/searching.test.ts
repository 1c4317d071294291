// The search goes through the whole trace, on with what comes, and never shows what was found for other words.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Results } from '../app/contract/host';
import { FakeHost, until } from './fakeHost.testing';
import { Feed } from './feed';
import { FOUND_MOST, type Searching, searching, searchText } from './searching';

let host: FakeHost;
let feed: Feed;
let search: Searching;

beforeEach(async () => {
  host = new FakeHost();
  feed = new Feed({ frame: (callback) => setTimeout(callback, 0), clock: () => 0 });
  search = searching(feed);
  host.call(1, 1, 'charge_card', { note: 'forty-two euro' });
  host.reply(2, 1, 'charged');
  host.call(3, 2, 'send_email', { to: 'euro@example.org' });
  feed.attach(host.port);
  await until(() => feed.trace.length === host.trace.length, 'frames');
});
afterEach(() => {
  feed.lost('the test is over');
  host.close();
});

const asked = (): readonly unknown[] => host.asked.filter(({ request }) => request === 'frame.search').map(({ params }) => params);

test('frames and their calls are found, also those that come later', async () => {
  search.look(' euro ');
  await until(() => search.finds().searched === 5, 'the search');
  expect(search.finds()).toMatchObject({ text: 'euro', seqs: [1, 4], full: false, failed: undefined });
  expect([search.hasCall(0), search.hasCall(1)]).toEqual([true, true]);
  host.call(4, 3, 'deploy', { price: '5 EURO' });
  host.flush();
  await until(() => search.finds().seqs.length === 3, 'the new frame');
  expect([search.finds().seqs.at(-1), search.hasCall(2), search.finds().searched]).toEqual([6, true, 7]);
  expect(asked().at(-1)).toEqual({ view: 1, text: 'euro', from: 5 });
});

test('a long trace is searched part by part', async () => {
  host.answers['frame.search'] = ({ from = 0 }): Results['frame.search'] => ({ seqs: [from], next: Math.min(5, from + 2) });
  search.look('x');
  await until(() => search.finds().searched === 5, 'the search');
  expect(search.finds().seqs).toEqual([0, 2, 4]);
});

test('answers for other words, or for another view, are forgotten', async () => {
  search.look('charged');
  await until(() => asked().length === 1, 'the request');
  search.look('email');
  await until(() => search.finds().text === 'email' && search.finds().searched === 5, 'the second search');
  expect(search.finds().seqs).toEqual([3, 4]);
  host.push('view', { ...host.view, id: 2 });
  await until(() => search.finds().searched === 0, 'the beginning');
  expect([search.finds().text, search.finds().seqs, search.hasCall(1)]).toEqual(['email', [], false]);
  search.look('');
  expect(search.finds().text).toBe('');
});

test('a host that refuses is asked no more, until there are other words', async () => {
  host.answers['frame.search'] = () => {
    throw new Error('the disk is gone');
  };
  search.look('x');
  await until(() => search.finds().failed !== undefined, 'the refusal');
  expect(search.finds().failed).toBe('the disk is gone');
  feed.refresh();
  expect(asked()).toHaveLength(1);
});

test('no more is kept than anybody can look through, and that is said', async () => {
  host.answers['frame.search'] = ({ from = 0 }): Results['frame.search'] => ({
    seqs: Array.from({ length: FOUND_MOST + 1 }, (_, index) => index),
    next: from + 1,
  });
  search.look('x');
  await until(() => search.finds().full, 'the bound');
  expect(search.finds().seqs).toHaveLength(FOUND_MOST);
  expect(searchText(search.finds(), 5)).toBe('the first 100,000 frames have it, there may be more');
});

test('what is said of a search', () => {
  const finds = { text: 'x', seqs: [1], searched: 2000, full: false, failed: undefined };
  expect([
    searchText({ ...finds, text: '' }, 10),
    searchText(finds, 1_000_000),
    searchText(finds, 2000),
    searchText({ ...finds, seqs: [1, 2], failed: 'gone' }, 5),
  ]).toEqual([undefined, '1 frame has it, searched 2,000 of 1,000,000 frames', '1 frame has it', 'bodies could not be searched: gone']);
});
