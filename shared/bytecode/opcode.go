package bytecode

// opcode is an instruction of the Ethereum virtual machine.
type opcode byte

// The instructions that the walk treats by name; PUSH1 to PUSH32, DUP1 to DUP16, SWAP1 to SWAP16 and LOG0 to LOG4 follow in order.
const (
	opSTOP           opcode = 0x00
	opADD            opcode = 0x01
	opMUL            opcode = 0x02
	opSUB            opcode = 0x03
	opDIV            opcode = 0x04
	opMOD            opcode = 0x06
	opEXP            opcode = 0x0a
	opSIGNEXTEND     opcode = 0x0b
	opLT             opcode = 0x10
	opGT             opcode = 0x11
	opSLT            opcode = 0x12
	opSGT            opcode = 0x13
	opEQ             opcode = 0x14
	opISZERO         opcode = 0x15
	opAND            opcode = 0x16
	opOR             opcode = 0x17
	opXOR            opcode = 0x18
	opNOT            opcode = 0x19
	opBYTE           opcode = 0x1a
	opSHL            opcode = 0x1b
	opSHR            opcode = 0x1c
	opSAR            opcode = 0x1d
	opKECCAK256      opcode = 0x20
	opADDRESS        opcode = 0x30
	opORIGIN         opcode = 0x32
	opCALLER         opcode = 0x33
	opCALLVALUE      opcode = 0x34
	opCALLDATALOAD   opcode = 0x35
	opCALLDATASIZE   opcode = 0x36
	opCALLDATACOPY   opcode = 0x37
	opCODESIZE       opcode = 0x38
	opCODECOPY       opcode = 0x39
	opEXTCODESIZE    opcode = 0x3b
	opEXTCODECOPY    opcode = 0x3c
	opRETURNDATASIZE opcode = 0x3d
	opRETURNDATACOPY opcode = 0x3e
	opTIMESTAMP      opcode = 0x42
	opNUMBER         opcode = 0x43
	opPOP            opcode = 0x50
	opMLOAD          opcode = 0x51
	opMSTORE         opcode = 0x52
	opMSTORE8        opcode = 0x53
	opSLOAD          opcode = 0x54
	opSSTORE         opcode = 0x55
	opJUMP           opcode = 0x56
	opJUMPI          opcode = 0x57
	opPC             opcode = 0x58
	opJUMPDEST       opcode = 0x5b
	opMCOPY          opcode = 0x5e
	opPUSH0          opcode = 0x5f
	opPUSH1          opcode = 0x60
	opPUSH32         opcode = 0x7f
	opDUP1           opcode = 0x80
	opDUP16          opcode = 0x8f
	opSWAP1          opcode = 0x90
	opSWAP16         opcode = 0x9f
	opCREATE         opcode = 0xf0
	opCALL           opcode = 0xf1
	opCALLCODE       opcode = 0xf2
	opRETURN         opcode = 0xf3
	opDELEGATECALL   opcode = 0xf4
	opCREATE2        opcode = 0xf5
	opSTATICCALL     opcode = 0xfa
	opREVERT         opcode = 0xfd
	opINVALID        opcode = 0xfe
	opSELFDESTRUCT   opcode = 0xff
)

// arity is how many words an instruction takes from the stack and puts there.
type arity struct{ pops, pushes int8 }

// arityOf returns the arity of op, and false for what is no instruction.
func arityOf(op opcode) (arity, bool) {
	switch {
	case op == opPUSH0 || op >= opPUSH1 && op <= opPUSH32:
		return arity{0, 1}, true
	case op >= opDUP1 && op <= opDUP16:
		n := int8(op - opDUP1 + 1)
		return arity{n, n + 1}, true
	case op >= opSWAP1 && op <= opSWAP16:
		n := int8(op - opSWAP1 + 2)
		return arity{n, n}, true
	case op >= 0xa0 && op <= 0xa4:
		return arity{int8(op-0xa0) + 2, 0}, true
	}
	switch op {
	case opSTOP, opJUMPDEST, opINVALID:
		return arity{0, 0}, true
	case 0x08, 0x09: // ADDMOD, MULMOD
		return arity{3, 1}, true
	case opISZERO, opNOT, 0x1e, 0x31, opCALLDATALOAD, opEXTCODESIZE, 0x3f, 0x40, 0x49, opMLOAD, opSLOAD, 0x5c:
		return arity{1, 1}, true
	case opADDRESS, opORIGIN, opCALLER, opCALLVALUE, opCALLDATASIZE, opCODESIZE, 0x3a, opRETURNDATASIZE,
		0x41, opTIMESTAMP, opNUMBER, 0x44, 0x45, 0x46, 0x47, 0x48, 0x4a, 0x4b, opPC, 0x59, 0x5a:
		return arity{0, 1}, true
	case opCALLDATACOPY, opCODECOPY, opRETURNDATACOPY, opMCOPY:
		return arity{3, 0}, true
	case opEXTCODECOPY:
		return arity{4, 0}, true
	case opPOP, opJUMP, opSELFDESTRUCT:
		return arity{1, 0}, true
	case opMSTORE, opMSTORE8, opSSTORE, opJUMPI, opRETURN, opREVERT, 0x5d:
		return arity{2, 0}, true
	case opCREATE:
		return arity{3, 1}, true
	case opCREATE2:
		return arity{4, 1}, true
	case opCALL, opCALLCODE:
		return arity{7, 1}, true
	case opDELEGATECALL, opSTATICCALL:
		return arity{6, 1}, true
	case opKECCAK256:
		return arity{2, 1}, true
	}
	if op >= opADD && op <= opSIGNEXTEND || op >= opLT && op <= opSAR {
		return arity{2, 1}, true
	}
	return arity{}, false
}

// pushed is how many bytes of data follow op in the code.
func pushed(op opcode) int {
	if op >= opPUSH1 && op <= opPUSH32 {
		return int(op-opPUSH1) + 1
	}
	return 0
}
