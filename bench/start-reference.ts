import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Starts a server of bench/ref with settings and Node flags, and waits for its port. */
export async function startReference(file: string, settings: object = {}, flags: string[] = []): Promise<{ origin: string; stop(): void }> {
  const program = new URL(`ref/${file}`, import.meta.url).pathname;
  const child = spawn(process.execPath, [...flags, program, JSON.stringify(settings)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(child.stdout, 'data');
  return { origin: `http://127.0.0.1:${String(port).trim()}`, stop: () => child.kill() };
}
