package bytecode

// Analyze reads the deployed code of a contract. It takes any bytes, and at most a million and a half steps.
func Analyze(code []byte) Report {
	report := Report{TrapProbability: trapProbability(code)}
	if len(code) == 0 {
		return report
	}
	c := walk(code)
	for _, fn := range c.functions {
		report.Selectors = append(report.Selectors, fn.selector)
	}
	for _, target := range c.machine.delegated {
		switch {
		case !target.constant():
			report.Delegates = true
		case len(c.functions) == 0 && !target.zero():
			report.MinimalProxy = true
			report.Target = target.val.Bytes20()
		}
	}
	understood := c.fallback.followed && len(c.functions) > 0 && !report.Delegates
	c.follow()
	report.SelfDestructs = c.machine.destroys
	for _, fn := range c.functions {
		understood = understood && fn.followed
	}
	c.judgeSupply(&report)
	c.judgeFees(&report)
	transfers := c.judgeLimits(&report)
	if c.function(selectorTransfer) != nil || c.function(selectorTransferFrom) != nil {
		understood = understood && len(c.balances) > 0 && transfers
	}
	report.Understood = understood
	return report
}
