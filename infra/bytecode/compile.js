// Compiles the contracts of this folder with several compilers and writes their deployed code, one line each:
// file, contract, compiler and settings, expected classes, code. Usage: node compile.js SOLC_FOLDER OUT [FILES [VERSIONS]], the last two
// with commas between: only these sources and compilers.
const fs = require('fs'), path = require('path');
const [folder, out, files = 'tokens,heldout,templates,fresh', only = ''] = process.argv.slice(2);
const versions = fs.readdirSync(folder).filter(v => /^v\d/.test(v) && (!only || only.split(',').includes(v.slice(1)))).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
const lines = [];
for (const version of versions) {
  const solc = require(path.join(folder, version, 'node_modules', 'solc'));
  const compile = solc.compileStandardWrapper || solc.compile;
  const [, minor, patch] = version.slice(1).split('.').map(Number);
  const settings = [['plain', {}], ['optimized', { optimizer: { enabled: true, runs: 200 } }]];
  if (minor === 8 && patch >= 13) settings.push(['ir', { viaIR: true, optimizer: { enabled: true, runs: 200 } }]);
  for (const file of files.split(',')) {
    let source = fs.readFileSync(path.join(__dirname, file + '.sol'), 'utf8');
    const expected = {};
    for (const [, name, classes] of source.matchAll(/^\/\/ expect (\w+):(.*)$/gm)) expected[name] = classes.trim();
    if (minor >= 7) source = source.replace(/constructor\(\) public/g, 'constructor()');
    if (minor >= 8) source = source.replace('(msg.sender).transfer', 'payable(msg.sender).transfer').replace('selfdestruct(msg.sender)', 'selfdestruct(payable(msg.sender))');
    for (const [label, setting] of settings) {
      const input = { language: 'Solidity', sources: { [file]: { content: source } },
        settings: { ...setting, outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } } } };
      const result = JSON.parse(compile(JSON.stringify(input)));
      const errors = (result.errors || []).filter(e => e.severity === 'error');
      if (errors.length) { console.error(version, label, file, errors[0].formattedMessage); continue; }
      for (const name of Object.keys(expected)) {
        lines.push([file, name, version.slice(1) + ' ' + label, expected[name], result.contracts[file][name].evm.deployedBytecode.object].join(','));
      }
    }
  }
  for (const l of process.listeners('uncaughtException')) process.removeListener('uncaughtException', l);
}
fs.writeFileSync(out, lines.join('\n') + '\n');
console.error(lines.length + ' codes');
