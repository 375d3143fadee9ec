import { z } from 'zod';

const day = z.iso.date().refine((text) => text >= '2000-01-01' && text < '2200-01-01');

/** Whether a text is a day such as 2026-11-23, of this or a near century. */
export function isDay(text: string): boolean {
  return day.safeParse(text).success;
}

/** The first moment of a day in UTC. */
export function startOfDay(text: string): Date {
  return new Date(`${text}T00:00:00Z`);
}

/** The first moment after a day in UTC. */
export function endOfDay(text: string): Date {
  return new Date(startOfDay(text).getTime() + 86_400_000);
}
