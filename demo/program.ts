/** The agent's program. `target`: the origin to which it sends the report. */
export const PROGRAM = (target: string) => `// Write a report, fingerprint it, and send the fingerprint to the partner
const text = 'Quarterly report: all is well.';
await svc.storage.write_file({ path: 'reports/quarterly.txt', content: text });
const [sha256, sha512] = await Promise.all([
  svc.hash_encode.hash({ text, algorithm: 'sha256' }),
  svc.hash_encode.hash({ text, algorithm: 'sha512' }),
]);
const sent = await svc.http.send_request({
  method: 'POST',
  url: '${target}/reports',
  body_type: 'json',
  body: { sha256: sha256.digest },
  failureMode: 'none',
});
const { files } = await svc.storage.list_files({ prefix: 'reports/' });
return { partnerAnswered: sent.status, files: files.map((file) => file.path), sha256: sha256.digest, sha512: sha512.digest.slice(0, 16) + '…' };`;
