// Compiles the Solidity sources of a folder and writes the runtime code of every contract, one "name hex" a line.
// Usage: node compile.mjs SOLC FOLDER [evmVersion] > out.txt, where SOLC is the path of an installed npm package solc.
import { createRequire } from "node:module";
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

const [solcPath, folder, evmVersion = "paris"] = process.argv.slice(2);
const solc = createRequire(import.meta.url)(resolve(solcPath));
const names = readdirSync(folder).filter((n) => n.endsWith(".sol")).sort();
const sources = Object.fromEntries(names.map((n) => [n, { content: readFileSync(join(folder, n), "utf8") }]));
// Each contract is compiled twice, so that nothing gets used to one way of generating code: the second has /ir after its name.
for (const viaIR of [false, true]) {
  const input = {
    language: "Solidity",
    sources,
    settings: {
      evmVersion,
      viaIR,
      optimizer: { enabled: true, runs: viaIR ? 1 : 200 },
      outputSelection: { "*": { "*": ["evm.deployedBytecode.object"] } },
      metadata: { bytecodeHash: "none" },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const errors = (output.errors ?? []).filter((e) => e.severity === "error");
  if (errors.length > 0) {
    console.error(errors.map((e) => e.formattedMessage).join("\n"));
    process.exit(1);
  }
  for (const file of names) {
    for (const [name, contract] of Object.entries(output.contracts[file] ?? {}).sort()) {
      const code = contract.evm.deployedBytecode.object;
      if (code) console.log(viaIR ? name + "/ir" : name, code);
    }
  }
}
