#!/usr/bin/env node
import process from "node:process";
import { setTimeout } from "node:timers";
import { main } from "./cli/main.ts";

process.exitCode = await main(process.argv.slice(2));
// A program that was given up on may have left a child, and what that holds open would keep this process.
setTimeout(() => process.exit(), 500).unref();
