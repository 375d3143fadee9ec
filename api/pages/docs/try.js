// Shows a form for each documented call. The API key stays in its input field and is never stored.

const key = document.getElementById('key');
key.form.hidden = false;
key.form.addEventListener('submit', (event) => event.preventDefault());
for (const form of document.querySelectorAll('form.try')) {
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(form);
  });
  form.addEventListener('input', () => showCommand(form));
}
addEventListener('hashchange', openTarget);
openTarget();

/** Opens the section that a link targets. */
function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!(target instanceof HTMLDetailsElement)) return;
  target.open = true;
  target.scrollIntoView();
}

/** Reads the call that a form describes. */
function read(form) {
  const fields = [...form.querySelectorAll('[data-in]')].map(({ dataset, name, value }) => ({ place: dataset.in, name, value }));
  const path = fields
    .filter(({ place }) => place === 'path')
    .reduce((filled, { name, value }) => filled.replace(`{${name}}`, encodeURIComponent(value)), form.dataset.path);
  const query = new URLSearchParams(
    fields.filter(({ place, value }) => place === 'query' && value !== '').map(({ name, value }) => [name, value]),
  );
  const body = fields.find(({ place }) => place === 'body')?.value.trim() || undefined;
  const headers = {
    ...Object.fromEntries(fields.filter(({ place, value }) => place === 'header' && value !== '').map(({ name, value }) => [name, value])),
    ...(body && { 'Content-Type': 'application/json' }),
  };
  const takesKey = !('public' in form.dataset);
  return { method: form.dataset.method, url: location.origin + path + (query.size > 0 ? `?${query}` : ''), headers, body, takesKey };
}

async function send(form) {
  const { method, url, headers: given, body, takesKey } = read(form);
  const button = form.querySelector('button');
  const outcome = form.querySelector('.outcome-of-try');
  const headers = { ...(takesKey && key.value && { Authorization: `Bearer ${key.value.trim()}` }), ...given };
  button.disabled = true;
  outcome.replaceChildren(element('p', 'muted', 'Waiting for the response …'));
  try {
    const startedAt = performance.now();
    const answer = await fetch(url, { method, headers, body, cache: 'no-store', credentials: 'omit', redirect: 'manual' });
    const text = await answer.text();
    outcome.replaceChildren(...show(answer, text, Math.round(performance.now() - startedAt)));
  } catch {
    outcome.replaceChildren(element('p', 'notice', 'The call failed: the service did not answer, or the browser blocked the request.'));
  } finally {
    button.disabled = false;
    showCommand(form);
  }
}

function show(answer, text, ms) {
  const state = element('p', `state ${answer.ok ? 'good' : 'bad'}`, `${answer.status} ${answer.statusText}`.trim());
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  return [state, element('p', 'muted', `${ms} ms`), block('Headers', headers), ...(text ? [block('Body', pretty(text))] : [])];
}

function block(label, text) {
  const pre = element('pre', 'block', text);
  pre.tabIndex = 0;
  pre.setAttribute('role', 'region');
  pre.setAttribute('aria-label', `${label} of the answer`);
  return pre;
}

/** Shows the call as a command, without the key. */
function showCommand(form) {
  const { method, url, headers, body, takesKey } = read(form);
  const lines = [`curl -X ${method} ${quoted(url)}`];
  if (takesKey) lines.push('-H "Authorization: Bearer $API_KEY"');
  lines.push(...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`));
  if (body) lines.push(`-d ${quoted(body)}`);
  form.parentElement.querySelector('.curl').textContent = lines.join(' \\\n  ');
}

function quoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}
