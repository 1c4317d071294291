import path from 'node:path';
import { expect, test } from 'vitest';
import { traceArgument } from './trace-argument';

test('the trace file is found among switches and the path of the app', () => {
  const args = ['--no-sandbox', '/opt/stopgap', '--remote-debugging-port=0', 'races/today.stopgap.ndjson'];
  expect(traceArgument(args, '/home/someone')).toBe(path.resolve('/home/someone', 'races/today.stopgap.ndjson'));
  expect(traceArgument(['.', '/races/A.STOPGAP.NDJSON'], '/home/someone')).toBe(path.resolve('/races/A.STOPGAP.NDJSON'));
});

test('switches, folders and other files are none', () => {
  expect(traceArgument(['.', '--log=/x.ndjson', 'notes.json'], '/home/someone')).toBeUndefined();
  expect(traceArgument([], '/home/someone')).toBeUndefined();
});
