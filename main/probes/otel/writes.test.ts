import { describe, expect, it } from 'vitest';
import type { Span, Value } from './decode';
import { isUndecided, writeOf } from './writes';

const CLIENT = 3;
const PRODUCER = 4;

const span = (attributes: Readonly<Record<string, Value>>, kind = CLIENT, failed = false): Span => ({
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  name: 'span',
  kind,
  startMs: 0,
  endMs: 1,
  attributes: new Map(Object.entries(attributes)),
  failed,
  host: undefined,
});
const what = (attributes: Readonly<Record<string, Value>>, kind = CLIENT): string | undefined => writeOf(span(attributes, kind))?.what;

describe('statements', () => {
  it.each([
    ['INSERT INTO t VALUES (1)', 'INSERT'],
    ['  /* app */ -- why\n update t set a = 1', 'UPDATE'],
    ['(DELETE FROM t)', 'DELETE'],
    ['WITH old AS (SELECT 1) INSERT INTO t SELECT * FROM old', 'WITH'],
    ['with gone as (delete from t returning *) select * from gone', 'WITH'],
    ['CREATE TABLE t (a int)', 'CREATE'],
    ['TRUNCATE t', 'TRUNCATE'],
  ])('%s writes', (text, verb) => {
    expect(writeOf(span({ 'db.system.name': 'postgresql', 'db.query.text': text }))).toEqual({ what: `postgresql ${verb}`, sample: text });
    expect(what({ 'db.statement': text })).toBe(verb);
  });

  it.each([
    'SELECT * FROM t FOR UPDATE',
    'WITH x AS (SELECT 1) SELECT * FROM x',
    "WITH x AS (SELECT 'insert into t') SELECT * FROM x",
    'WITH x AS (SELECT a FROM t FOR UPDATE) SELECT * FROM x',
    'WITH x AS (SELECT a FROM t FOR NO KEY UPDATE) SELECT * FROM x',
    'SET search_path = x',
    'BEGIN',
    'COMMIT',
    'EXPLAIN INSERT INTO t VALUES (1)',
    'CALL do_it()',
    '',
  ])('%s does not say that it writes', (text) => expect(what({ 'db.query.text': text })).toBe(undefined));

  it('are known by the operation where there is no text that has a verb', () => {
    const mongo = { 'db.system': 'mongodb', 'db.mongodb.collection': 'orders' };
    expect(what({ ...mongo, 'db.operation': 'insertMany' })).toBe('mongodb INSERTMANY orders');
    expect(what({ ...mongo, 'db.operation': 'insert', 'db.statement': '{"insert":"orders"}' })).toBe('mongodb INSERT orders');
    expect(what({ ...mongo, 'db.operation': 'find' })).toBe(undefined);
    expect(what({ 'db.operation.name': 'BATCH INSERT', 'db.collection.name': 'orders' })).toBe('INSERT orders');
  });

  it('mean something else to Redis', () => {
    expect(what({ 'db.system.name': 'redis', 'db.query.text': 'SET k ?' })).toBe('redis SET');
    expect(what({ 'db.system.name': 'redis', 'db.query.text': 'HGETALL k' })).toBe(undefined);
    expect(what({ 'db.system.name': 'redis', 'db.operation.name': 'XADD' })).toBe('redis XADD');
  });
});

describe('messages', () => {
  it('are written when they are sent', () => {
    const kafka = { 'messaging.system': 'kafka', 'messaging.destination.name': 'orders' };
    expect(what({ ...kafka, 'messaging.operation.type': 'send' })).toBe('kafka send orders');
    expect(what({ ...kafka, 'messaging.operation': 'publish' }, PRODUCER)).toBe('kafka publish orders');
    expect(what(kafka, PRODUCER)).toBe('kafka send orders');
    expect(what(kafka)).toBe(undefined);
    expect(what({ ...kafka, 'messaging.operation.type': 'receive' })).toBe(undefined);
    expect(what({ ...kafka, 'messaging.operation.type': 'create' }, PRODUCER)).toBe(undefined);
  });
});

describe('requests', () => {
  it('are written by their method, when a client made them', () => {
    const post = { 'http.request.method': 'POST', 'url.full': 'https://user:secret@api.example.com:8443/orders?key=secret' };
    expect(what(post)).toBe('POST api.example.com:8443/orders');
    expect(what(post, 2)).toBe(undefined);
    expect(what({ 'http.method': 'DELETE', 'net.peer.name': 'api.example.com' })).toBe('DELETE api.example.com');
    expect(what({ 'http.method': 'PUT' })).toBe('PUT');
    for (const method of ['GET', 'HEAD', 'OPTIONS', '_OTHER']) expect(what({ ...post, 'http.request.method': method })).toBe(undefined);
  });

  it('of a remote procedure say nothing of a write', () => {
    expect(what({ 'rpc.system': 'grpc', 'rpc.method': 'DeleteEverything' })).toBe(undefined);
  });
});

it('leaves undecided what failed, by its status or by that of its answer', () => {
  expect(isUndecided(span({}))).toBe(false);
  expect(isUndecided(span({}, CLIENT, true))).toBe(true);
  expect(isUndecided(span({ 'http.response.status_code': 409 }))).toBe(true);
  expect(isUndecided(span({ 'http.status_code': 201 }))).toBe(false);
});
