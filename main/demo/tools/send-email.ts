// A write that is done long before it is confirmed: whoever stops it while waiting has already sent it.
import path from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { z } from 'zod';
import { answerAnyway, type Demo, says } from '../demo';
import { DEMO_TOOLS } from '../probes';
import { freshId, writeWhole } from '../state';

const DELIVERED_MS = 100;

export function sendEmail(demo: Demo): void {
  demo.server.registerTool(
    'send_email',
    {
      title: 'Send an e-mail',
      description:
        'Puts a mail into outbox/ after 100 ms and confirms it after 1.5 s. Cancelled within the first 100 ms it sends nothing. Later there is nothing to stop: the mail is out, and the confirmation comes all the same.',
      inputSchema: {
        to: z.email().meta({ title: 'To', description: 'The address (nothing leaves this machine).', default: 'ada@shop.example' }),
        subject: z.string().max(200).default('Your order').meta({ title: 'Subject' }),
        body: z.string().max(10_000).default('It is on its way.').meta({ title: 'Text' }),
      },
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    },
    async ({ to, subject, body }, call) => {
      await rest(DELIVERED_MS, undefined, { signal: call.signal });
      const name = path.join('outbox', `${freshId('mail-')}.eml`);
      writeWhole(demo.folder, name, `To: ${to}\nSubject: ${subject.replaceAll(/[\r\n]+/g, ' ')}\n\n${body}\n`);
      await rest(DEMO_TOOLS.send_email.normallyMs - DELIVERED_MS);
      return answerAnyway(demo, call, says(`Sent to ${to}: ${name}`));
    },
  );
}
