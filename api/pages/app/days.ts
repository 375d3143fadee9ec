import { z } from 'zod';

const day = z.iso.date().refine((text) => text >= '2000-01-01' && text < '2200-01-01');

/** Whether a text is a day from 2000-01-01 to 2199-12-31. */
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
