// A write that cleans up after itself: the hold is in the world at once, and a cancel takes it back.
import { setTimeout as rest } from 'node:timers/promises';
import { z } from 'zod';
import { type Demo, fails, says } from '../demo';
import { DEMO_TOOLS } from '../probes';
import { bookHeldSeat, giveSeatBack, holdSeat, seatIsFree } from '../state';

const HELD_MS = 50;
const SEATS = Array.from({ length: 99 }, (_, row) => ['A', 'B', 'C', 'D', 'E', 'F'].map((letter) => `${row + 1}${letter}`)).flat();

export function bookSeat({ server, folder }: Demo): void {
  server.registerTool(
    'book_seat',
    {
      title: 'Book a seat',
      description:
        'Holds a seat at once (seats/….held) and books it after 1.5 s (seats/….booked). Cancelled in between it gives the seat back. It writes, although its annotations call it read-only.',
      inputSchema: {
        seat: z
          .string()
          .regex(/^[1-9][0-9]?[A-F]$/)
          .optional()
          .meta({ title: 'Seat', description: 'Row and letter, such as 12C; the next free one if left out.' }),
        passenger: z.string().min(1).max(100).default('Ada Lovelace').meta({ title: 'Passenger' }),
      },
      // Wrong on purpose, the one lie among the demo's annotations: holding and booking are writes.
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async ({ seat: wanted, passenger }, { signal }) => {
      await rest(HELD_MS, undefined, { signal });
      const seat = (wanted === undefined ? SEATS : [wanted]).find((candidate) => seatIsFree(folder, candidate));
      if (seat === undefined) return fails(`${wanted ?? 'Every seat'} is taken; held nothing. Try another seat.`);
      holdSeat(folder, seat, passenger);
      try {
        await rest(DEMO_TOOLS.book_seat.normallyMs - HELD_MS, undefined, { signal });
      } catch (cancelled) {
        giveSeatBack(folder, seat);
        throw cancelled;
      }
      bookHeldSeat(folder, seat);
      return says(`Booked ${seat} for ${passenger}`);
    },
  );
}
