import {chromium} from "playwright-core";
const [,,url,out,w=1280,h=800,scheme="light",full]=process.argv;
const b=await chromium.launch({executablePath:"/usr/bin/chromium",args:["--no-sandbox"]});
const p=await b.newPage({viewport:{width:+w,height:+h},colorScheme:scheme});
p.on("console",m=>console.log(m.text()));await p.goto(url);await p.waitForTimeout(500);await p.screenshot({path:out,fullPage:!!full});await b.close();
