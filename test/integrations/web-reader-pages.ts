import { gzipSync } from 'node:zlib';
import { type PageAnswer, page } from './web-site.ts';

const sentence = 'The quick brown fox jumps over the lazy dog, again and again, until the evening comes. ';
const article = `<!DOCTYPE html>
<html lang="en"><head><title>Foxes &amp; dogs</title>
<meta name="description" content="All about foxes"><meta property="og:site_name" content="Fox News Letter"><meta name="author" content="Ada">
<link rel="canonical" href="/foxes"><style>p { color: red }</style></head>
<body><nav><a href="/home">Home</a><a href="/about">About</a></nav>
<article><h1>Foxes &amp; dogs</h1>
<p>${sentence.repeat(5)}</p><h2>Their <em>habits</em></h2>
<p>They <a href="sleep.html?a=1&amp;b=2">sleep</a> and <strong>run</strong>. ${sentence.repeat(3)}</p>
<ul><li>first</li><li>second</li></ul><pre><code>let x = 1;
  let y = 2;</code></pre>
<p><img src="/fox.png" alt="A fox"> <a href="javascript:alert(1)">click</a> ${sentence}</p>
<table><tr><th>Name</th><th>Age</th></tr><tr><td>Rex</td><td>3</td></tr><tr><td></td><td>4</td></tr></table></article>
<script>document.write('never')</script><footer>Copyright</footer></body></html>`;

const titled = (title: string, heading: string) => `<html><head>${title && `<title>${title}</title>`}
<meta property="og:title" content="Shared as this"></head><body><nav><a href="/">Home</a></nav>
<article><h1>${heading}</h1><p>${sentence.repeat(5)}</p><p>${sentence.repeat(5)}</p></article></body></html>`;

const links = `<base href="/docs/"><a href="a.html">A  first
</a><a href="a.html">again</a><a href="/b.PDF"></a><a href="/b.PDF" >The PDF</a><a href="https://other.example/x?y=1#z">other</a>
<a href="mailto:a@b.c">mail</a><a href="javascript:alert(1)">js</a><a href="#here">here</a><a href="http://[bad">bad</a><a>none</a>
<map><area href="/map" alt="Map"></map>`;

const structured = `<html lang="de"><head><title>  A
 title </title><link rel="canonical" href="/canon?x=1"><meta charset="utf-8">
<meta name="Description" content="What it is"><meta name="keywords" content="a, b"><meta name="empty" content="">
<meta property="og:title" content="OG"><meta property="og:image" content="/1.png"><meta property="og:image" content="/2.png">
<meta property="article:author" content="Ada"><meta name="twitter:card" content="summary"><meta http-equiv="refresh" content="5">
<script type="application/ld+json">{"@type":"Article","headline":"H","nested":[{"a":null}],"bad":"\\ud800"}</script>
<script type="application/ld+json">{ not json }</script><script type="application/LD+JSON"> [1] </script>
<script type="application/ld+json">${'['.repeat(51)}${']'.repeat(51)}</script></head><body><p>x</p></body></html>`;

/** The third party's answers, by path. */
export const pages: Record<string, PageAnswer> = {
  '/article': page(article),
  '/gzip': (_, response) => response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' }).end(gzipSync(article)),
  '/latin': page(Buffer.from('<p>caf\xe9</p>', 'latin1'), 'text/html; charset=ISO-8859-1'),
  '/meta': page(
    Buffer.from('<html><head><meta charset="windows-1251"></head><body>\xcf\xf0\xe8\xe2\xe5\xf2</body></html>', 'latin1'),
    'text/html',
  ),
  '/bom': page(Buffer.from('\ufeff<p>grüß</p>', 'utf16le'), 'text/html; charset=iso-8859-1'),
  '/unsaid': page('<p>grüß 🙂</p>', 'text/html'),
  '/unsaid-latin': page(Buffer.from('<p>gr\xfc\xdf</p>', 'latin1'), 'text/html'),
  '/klingon': page('<p>grüß</p>', 'text/html; charset=klingon'),
  '/untyped': (_, response) => response.end('<p>no type</p>'),
  '/links': page(links),
  '/many-links': page(Array.from({ length: 1001 }, (_, i) => `<a href="/${i}">${i}</a>`).join('')),
  '/structured': page(structured),
  '/bare': page('just text'),
  '/no-body': page('<html><head><title>T</title></head><p>in no body</p><p>two</p></html>'),
  '/head-only': page('<head><title>T</title></head><body>in a body</body>'),
  '/empty': page(''),
  '/late': page('<html><body>one</body></html><p>two</p>'),
  '/comment': page('<!-- <html> --><p>after a comment</p>'),
  '/plain': page('line one\n  line two', 'text/plain'),
  '/json': page('{"a":1}', 'application/json'),
  '/image': page(Buffer.from([0x89, 0x50]), 'image/png'),
  '/error': (_, response) => response.writeHead(503).end('<p>later</p>'),
  '/error-page': (_, response) =>
    response
      .writeHead(404, { 'content-type': 'text/html' })
      .end('<html><head><title>Oh</title><script>x()</script></head><body><h1>No such page</h1><p>It was moved.</p></body></html>'),
  '/error-json': (_, response) => response.writeHead(429, { 'content-type': 'application/json' }).end('{"error":"slow down"}'),
  '/error-echo': (request, response) => response.writeHead(400, { 'content-type': 'text/plain' }).end(request.url),
  '/error-huge': (_, response) => response.writeHead(500, { 'content-type': 'text/html' }).end(`<p>${'x '.repeat(4_000_000)}`),
  '/error-image': (_, response) => response.writeHead(500, { 'content-type': 'image/png' }).end('not text'),
  '/titled': page(titled('The title', 'The title')),
  '/titled-otherwise': page(titled('Foxes | The Site', 'Foxes of the world')),
  '/untitled': page(titled('', 'A heading')),
  '/short': page('<title>Short</title><p>before</p><h1> short\n</h1><pre># no heading</pre>'),
  '/code': page('<title>Notes</title><p>first</p><pre><code># no heading</code></pre>'),
  '/moved': (_, response) => response.writeHead(301, { location: '/article' }).end(),
  '/loop': (_, response) => response.writeHead(302, { location: '/loop' }).end(),
  '/inside': (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
  '/long': page(`<p>${'🙂'.repeat(100_000)}x</p>`),
};
