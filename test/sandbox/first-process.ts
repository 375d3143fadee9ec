/**
 * Runs passes as the first process of a process namespace, where no other process reaps children.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { aSandbox, run } from './a-sandbox.ts';

const PASSES = 5;

const sandbox = aSandbox();
const results = await Promise.all(Array.from({ length: PASSES }, (_, n) => run(sandbox, `return ${n}`)));
const spun = await run(sandbox, 'while (true);', { limits: { timeMs: 300, memoryMb: 128 } });
await sandbox.close();
const left = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
const zombies = left.filter((pid) => /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')));
process.stdout.write(JSON.stringify({ pid: process.pid, ends: [...results, spun].map(({ kind }) => kind), zombies: zombies.length }));
