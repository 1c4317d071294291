#!/usr/bin/env node
// The command line: the same sessions as the window's, without a window. Its words, its exit codes and its JSON are public
// (docs/cli.md). Each command has a file of its own; here they get their words.
import { spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { Command, CommanderError } from 'commander';
import { PROBE_WORDS } from '../../app/evidence/probeWord';
import { FAULT_WORDS } from '../../app/scenario/faults';
import { MEANS_WORDS } from '../../app/scenario/means';
import { plain } from '../host/why';
import { type CallOptions, call } from './call';
import { type CheckOptions, checkServer } from './check';
import { CHECK_FORMS } from './check-form';
import { demoRace } from './demo-race';
import { CliError, EXIT, notReached, wrongInput } from './exit';
import { EXPORTS, type ExportOptions, exportTrace } from './export';
import {
  argumentsOf,
  axis,
  callNumber,
  checkForm,
  checkIds,
  color,
  duration,
  exportForm,
  failOn,
  faultWord,
  header,
  listed,
  means,
  natural,
  protocol,
  toolArguments,
  variable,
} from './options';
import { demoScript, startScript, version } from './place';
import { type RunOptions, run } from './run';
import { type ShowOptions, show } from './show';
import { type SweepOptions, sweepTool } from './sweep';

const EXAMPLES = `
Examples:
  Press Stop 300 ms into a call of the demo server, and see what really happened:
    stopgap call demo charge_card --args '{"amount": 4200}' --stop-after 300ms

  The same on a server of yours, with a folder watched from before the call until the end:
    stopgap call "node server.mjs" charge_card --args '{"amount": 4200}' \\
        --stop-after 300ms --probe folder:./out --normally 2s

  A scenario with expectations, for CI; the trace is kept:
    stopgap run checkout.yaml --json --trace checkout.stopgap.ndjson

  A trace as text:
    stopgap show checkout.stopgap.ndjson

Exit codes: 0 as expected, and no breach that nobody expected; 1 otherwise; 2 wrong input;
3 the server could not be reached; 130 interrupted.`;

const CALL_HELP = `
<server> is demo, an address, a quoted command line, or name@config.json: a server of another client's configuration
(Claude Desktop, Claude Code, VS Code, Cursor, Windsurf, Zed; name@config.toml for Codex). What it asks for is given by --input.

Without --stop-after the call runs until it is answered. With it, the call is watched to the end of --settle after the
stop, and longer where --normally says that it would still have been at work.

Examples:
  stopgap call demo create_ticket --args '{"title": "Printer on fire"}' --stop-after 300ms
  stopgap call files@claude_desktop_config.json write_file --args '{"path": "a", "content": "b"}' --stop-after 5ms --probe folder:.
  stopgap call demo search_orders --args '{"query": "shoes"}' --stop-after 100ms --fault perfect-crossing
  stopgap call demo send_email --args '{"to": "ada@example.org"}' --stop-after 300ms --how abandon
  stopgap call demo export_report --args '{"when_cancelled": "pretend"}' --task --stop-after 1s --settle 6s
  stopgap call https://shop.example/mcp charge --header "Authorization: Bearer $TOKEN" --stop-after 300ms --how drop`;

const RUN_HELP = `
The file says which server to start, what to watch, what to call and when to stop it, and what should come of it
(docs/scenario.md). Without expectations the run fails on any breach.

Examples:
  stopgap run docs/examples/charge-card.yaml docs/examples/create-ticket.yaml --trace traces/
  stopgap run assets/lessons/*.yaml --repeat 50`;

const SWEEP_HELP = `
Calls the tool again and again and presses Stop at another moment each time: at even distances, at random ones, or where the
boundary is sought. A probe has to see what the tool writes. \${run} in the arguments is the number of the attempt.

Examples:
  stopgap sweep demo charge_card --find-boundary --runs 12
  stopgap sweep "node server.mjs" create_order --args '{"id": "sweep-\${run}"}' --from 0 --to 2s --runs 20 \\
      --probe 'sql:postgres://localhost/shop::select count(*) from orders' --reset-command 'psql shop -c "delete from orders"'

Exit codes: 0 a boundary, or always the same; 1 it varies, or nothing is known; the others as everywhere.`;

const CHECK_HELP = `
Calls every tool that says that it only reads, and with --allow-writes the others too, for real: undisturbed, cancelled at
work, cancelled in the same write, cancelled and called again. Then sends the server cancels that name nobody. A tool that may
write is called only where a probe watches what it writes. Arguments come from --args, else from what the tool's schema
proposes; \${run} in a text of them is the number of the call. Every line has its evidence; docs/check.md says what each asks,
whose rule it is, and how to mend a server.

Examples:
  stopgap check demo --allow-writes
  stopgap check "node server.mjs" --tool create_order --allow-writes --args 'create_order={"id": "check-\${run}"}' \\
      --probe folder:./orders --as junit -o check.xml
  stopgap check https://shop.example/mcp --header "Authorization: Bearer $TOKEN" --json

Exit codes: 0 no line failed; 1 a line failed; the others as everywhere. What is not known, or was not tried, fails nothing.`;

const interrupt = new AbortController();
let code: number = EXIT.ok;

function common(command: Command): Command {
  return command
    .option('--json', 'machine output on stdout, and nothing else there')
    .option('--quiet', 'no progress on stderr')
    .option('--color <when>', 'auto, always or never', color, 'auto');
}

function running(command: Command): Command {
  return common(command)
    .option('--no-fence', 'send no ping behind a cancel, and none to an idle server')
    .option('--fail-on <severity>', 'exit 1 from this severity on: info, note, warn, breach or never', failOn, 'breach')
    .option('--trace <file>', 'keep everything that was sent, received and observed in this trace file')
    .option('--protocol <revision>', 'a revision to insist on', protocol)
    .option('--header <name:value>', 'sent with every request to a server at an address; repeatable', header)
    .option('--env <name=value>', 'set in the environment of a server that is started; repeatable', variable)
    .option('--cwd <dir>', 'working directory of the server');
}

/** With a server of the command line's own, which may be one of a configuration. */
function withServer(command: Command): Command {
  return running(command)
    .argument('<server>', 'demo, an address, a quoted command line, or name@config.json')
    .option('--input <id=value>', 'a value that the configuration asks for; repeatable', variable);
}

function program(): Command {
  const stopgap = new Command('stopgap')
    .description('You pressed Stop on an MCP tool call. What really happened?\nWithout a command, opens the window.')
    .version(version())
    .addHelpText('after', EXAMPLES)
    .helpCommand(false);

  withServer(stopgap.command('call').summary('call a tool, stop it, and see what really happened'))
    .description('Calls one tool of a server, presses Stop when told to, and says what happened: to the call, and in the world.')
    .argument('<tool>', 'name of the tool')
    .option('--args <json>', 'arguments of the call, a JSON object', argumentsOf)
    .option('--stop-after <duration>', 'press Stop this long after the call was sent (300ms, 1.5s)', duration)
    .option('--how <means>', `how to stop it: ${MEANS_WORDS.join(', ')} (default: cancel)`, means)
    .option('--reason <text>', 'goes out with the cancel')
    .option('--probe <kind:where>', `watch a place; repeatable: ${PROBE_WORDS.join(', ')}`, listed)
    .option('--fault <fault>', `disturb messages on purpose; repeatable: ${FAULT_WORDS.join(', ')}`, faultWord)
    .option('--settle <duration>', 'watch this long after the stop (default: 3s)', duration)
    .option('--normally <duration>', 'how long the call takes when nobody stops it; allows the verdict "stopped"', duration)
    .option('--task', 'run it as a task; a stop is then tasks/cancel, or --how stop-polling')
    .option('--task-ttl <duration>', 'run it as a task, and ask the server to keep it so long (2025-11-25)', duration)
    .addHelpText('after', CALL_HELP)
    .action(async (server: string, tool: string, options: CallOptions) => {
      code = await call(server, tool, options, interrupt.signal);
    });

  running(stopgap.command('run').summary('run scenarios and check their expectations'))
    .description('Runs scenarios, one after the other, and checks what they expect.')
    .argument('<scenario...>', 'scenario files (YAML)')
    .option('--repeat <n>', 'run each so many times in a row, and say how often it came out as expected', natural)
    .addHelpText('after', RUN_HELP)
    .action(async (files: readonly string[], options: RunOptions) => {
      code = await run(files, options, interrupt.signal);
    });

  withServer(stopgap.command('sweep').summary('find the moment from which Stop is too late'))
    .description('Calls a tool many times, stopped at another moment each time, and says from when on Stop no longer prevents the write.')
    .argument('<tool>', 'name of the tool')
    .option('--args <json>', `arguments of every call; \${run} is the number of the attempt`, argumentsOf)
    .option('--by <axis>', 'what moments are counted in: time, or progress (its notifications)', axis, 'time')
    .option('--from <moment>', 'first moment of the cancel (default: 0)')
    .option('--to <moment>', 'last moment (default: a little after the normal end of the call)')
    .option('--runs <n>', 'how many attempts (default: 20)', natural)
    .option('--find-boundary', 'choose each moment by what the ones before found')
    .option('--random', 'moments by chance instead of at even distances')
    .option('--how <means>', `how to stop it: ${MEANS_WORDS.join(', ')} (default: cancel)`, means)
    .option('--probe <kind:where>', `watch a place; repeatable: ${PROBE_WORDS.join(', ')}`, listed)
    .option('--settle <duration>', 'watch at least this long after each stop (default: 1s)', duration)
    .option('--normally <duration>', 'how long the call takes when nobody stops it (default: it is called once, to see)', duration)
    .option('--reset-tool <name>', 'a tool of the server that is called before every attempt')
    .option('--reset-args <json>', 'its arguments', argumentsOf)
    .option('--reset-command <line>', 'a command that is run before every attempt')
    .option('--yes', 'do not ask before calling a tool that may write')
    .addHelpText('after', SWEEP_HELP)
    .action(async (server: string, tool: string, options: SweepOptions) => {
      code = await sweepTool(server, tool, options, interrupt.signal);
    });

  withServer(stopgap.command('check').summary('the cancellation report card of a server'))
    .description('Tries out what cancelling does on a server and its tools, and writes a report card: pass, fail, unknown, not tried.')
    .option('--tool <name>', 'only this tool; repeatable (default: all)', listed)
    .option('--allow-writes', 'call tools that may write, too. They are called for real, several times')
    .option('--args <tool=json>', "a tool's arguments; repeatable", toolArguments)
    .option('--probe <kind:where>', `watch a place; repeatable: ${PROBE_WORDS.join(', ')}`, listed)
    .option('--settle <duration>', 'watch at least this long after each stop (default: 1s)', duration)
    .option('--patience <duration>', 'how long a tool may take when nobody stops it (default: 30s)', duration)
    .option('--budget <duration>', 'begin nothing new after this long (default: 10m)', duration)
    .option('--skip <check>', 'leave a line out of the card; repeatable', checkIds)
    .option('--as <form>', `${CHECK_FORMS.join(', ')} (default: text)`, checkForm)
    .option('-o, --output <file>', 'where to write it (default: stdout)')
    .addHelpText('after', CHECK_HELP)
    .action(async (server: string, options: CheckOptions) => {
      code = await checkServer(server, options, interrupt.signal);
    });

  common(stopgap.command('show').summary('print a trace as text'))
    .description('Prints a trace file as text: timeline, verdicts, evidence.')
    .argument('<trace>', 'trace file')
    .option('--call <id>', 'only the call with this id', callNumber)
    .action(async (file: string, options: ShowOptions) => {
      code = await show(file, options);
    });

  common(stopgap.command('export').summary('a trace as a page, as Markdown, for CI, for a trace viewer'))
    .description('Writes a trace file in a form that others read. Bodies of messages are in none of them.')
    .argument('<trace>', 'trace file')
    .requiredOption('--as <form>', `one of ${EXPORTS.join(', ')}`, exportForm)
    .option('-o, --output <file>', 'where to write it (default: stdout)')
    .action(async (file: string, options: ExportOptions) => {
      code = await exportTrace(file, options);
    });

  stopgap
    .command('demo-server')
    .summary('the demo server, on stdio or over HTTP')
    .description('Runs the demo server for any MCP client: each of its tools shows one truth about Stop (docs/demo.md).')
    .option('--state <dir>', 'where it keeps its ledger, its outbox, its tickets (default: a fresh temporary folder)')
    .option('--http <port>', 'over Streamable HTTP, on this machine only; 0 takes a free port. Its address is printed on stdout')
    .option('--stateless', 'with --http: no sessions, so that a cancel reaches nobody')
    .option('--json', 'with --http: answers in JSON, not in event streams')
    .option('--sse', 'with --http: the older HTTP+SSE transport instead')
    .action(async (options: DemoServerOptions) => {
      process.argv = [process.execPath, demoScript, ...demoWords(options)];
      await import(pathToFileURL(demoScript).href);
      await new Promise(() => undefined);
    });

  stopgap
    .command('demo-race')
    .summary('the race that this is about, on the demo server')
    .description('Charges a card and creates a ticket on the demo server, presses Stop in both, and tells the difference.')
    .action(async () => {
      code = await demoRace(interrupt.signal);
    });

  return stopgap;
}

interface DemoServerOptions {
  readonly state?: string;
  readonly http?: string;
  readonly stateless?: true;
  readonly json?: true;
  readonly sse?: true;
}

/** As the demo's own program takes them; it says itself what does not go together. */
const demoWords = (options: DemoServerOptions): readonly string[] =>
  Object.entries(options).flatMap(([name, value]) => (value === true ? [`--${name}`] : [`--${name}`, value]));

/** @returns the exit code of the window */
function openWindow(): Promise<number> {
  const script = startScript();
  if (script === undefined)
    throw wrongInput(
      'expected a command (stopgap --help lists them): the window opens from its own application, or by npm start in a checkout',
    );
  return new Promise((resolve) => {
    spawn(process.execPath, [script], { stdio: 'inherit' }).on('exit', (exitCode) => resolve(exitCode ?? EXIT.interrupted));
  });
}

/** Every command's errors in the same form: one line, said by us. */
function prepared(command: Command): Command {
  command.exitOverride().configureOutput({ outputError: () => undefined });
  for (const sub of command.commands) prepared(sub);
  return command;
}

async function main(words: readonly string[]): Promise<number> {
  if (words.length === 0) return openWindow();
  await prepared(program()).parseAsync(words, { from: 'user' });
  return code;
}

function failed(error: unknown): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return EXIT.ok;
    const says =
      error.code === 'commander.help'
        ? 'expected a command (stopgap --help lists them)'
        : error.message.replace(/^error: /, '').replace(/\s+/g, ' ');
    process.stderr.write(`stopgap: ${says}\n`);
    return EXIT.wrongInput;
  }
  const known = error instanceof CliError ? error : notReached(plain(error));
  process.stderr.write(`stopgap: ${known.message}\n`);
  return known.code;
}

function onInterrupt(): void {
  // The second time nobody wants to wait for a report.
  if (interrupt.signal.aborted) process.exit(EXIT.interrupted);
  interrupt.abort();
}

process.on('SIGINT', onInterrupt);
process.on('SIGTERM', onInterrupt);
process.stdout.on('error', () => undefined);
process.exit(await main(process.argv.slice(2)).catch(failed));
