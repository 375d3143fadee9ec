const WIDTH = 30;

/** A progress bar for a download. Prints nothing if stdout is not a terminal. */
export function progressBar(totalBytes: number): { add: (bytes: number) => void; end: () => void } {
  let done = 0;
  let drawn = '';
  const draw = () => {
    const line = drawBar(done, totalBytes);
    if (line !== drawn) process.stdout.write(`\r${line}`);
    drawn = line;
  };
  if (!process.stdout.isTTY) return { add: () => {}, end: () => {} };
  return {
    add: (bytes) => {
      done += bytes;
      draw();
    },
    end: () => process.stdout.write('\n'),
  };
}

/** The bar as one line, for example `  [##########--------------------]  33 %  14.7 MB`. */
export function drawBar(done: number, total: number): string {
  const megabytes = `${(done / 1e6).toFixed(1)} MB`;
  if (!(total > 0)) return `  ${megabytes}`;
  const filled = Math.floor((Math.min(done, total) / total) * WIDTH);
  const percent = String(Math.floor((Math.min(done, total) / total) * 100)).padStart(3);
  return `  [${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${percent} %  ${megabytes}`;
}
