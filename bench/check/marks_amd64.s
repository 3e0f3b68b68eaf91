#include "textflag.h"

// PUT writes where the lowest mark of the word is and forgets it.
#define PUT(offset) \
	TZCNTQ AX, R9;        \
	ADDL   R10, R9;       \
	MOVL   R9, offset(DI); \
	BLSRQ  AX, AX

#define PUT8(offset) \
	PUT(offset);    \
	PUT(offset+4);  \
	PUT(offset+8);  \
	PUT(offset+12); \
	PUT(offset+16); \
	PUT(offset+20); \
	PUT(offset+24); \
	PUT(offset+28)

// func markVectors(list *[512]uint32, span *[512]byte, base uint32) (count, has int)
//
// "<", "=", ">" and "?" are 0x3c to 0x3f: one comparison, without the two lowest bits, finds them all. Sixteen marks
// of a word are written, however many there are: that costs less than to be wrong about how many.
TEXT ·markVectors(SB), NOSPLIT, $0-40
	MOVQ         list+0(FP), DI
	MOVQ         span+8(FP), SI
	MOVL         base+16(FP), R10
	MOVL         $0xfcfcfcfc, AX
	MOVL         $0x3c3c3c3c, BX
	MOVL         $0x22222222, CX
	MOVL         $0x0d0d0d0d, DX
	MOVL         $0x26262626, R8
	MOVQ         AX, X0
	MOVQ         BX, X1
	MOVQ         CX, X2
	MOVQ         DX, X3
	MOVQ         R8, X11
	VPBROADCASTD X0, Y0
	VPBROADCASTD X1, Y1
	VPBROADCASTD X2, Y2
	VPBROADCASTD X3, Y3
	VPBROADCASTD X11, Y11
	VPXOR        Y4, Y4, Y4              // carriage returns so far
	VPCMPEQB     Y12, Y12, Y12           // the least byte so far
	MOVQ         DI, R11
	MOVQ         $8, CX

word:
	VMOVDQU   0(SI), Y5
	VMOVDQU   32(SI), Y6
	VPAND     Y0, Y5, Y7
	VPAND     Y0, Y6, Y8
	VPCMPEQB  Y1, Y7, Y7
	VPCMPEQB  Y1, Y8, Y8
	VPCMPEQB  Y3, Y5, Y9
	VPCMPEQB  Y3, Y6, Y10
	VPOR      Y9, Y4, Y4
	VPOR      Y10, Y4, Y4
	VPMINUB   Y5, Y12, Y12
	VPMINUB   Y6, Y12, Y12
	VPCMPEQB  Y11, Y5, Y9
	VPCMPEQB  Y11, Y6, Y10
	VPOR      Y9, Y7, Y7
	VPOR      Y10, Y8, Y8
	VPCMPEQB  Y2, Y5, Y5
	VPCMPEQB  Y2, Y6, Y6
	VPOR      Y5, Y7, Y7
	VPOR      Y6, Y8, Y8
	VPMOVMSKB Y7, AX
	VPMOVMSKB Y8, BX
	SHLQ      $32, BX
	ORQ       BX, AX
	POPCNTQ   AX, R8
	LEAQ      (DI)(R8*4), R12            // where the list of the next word begins
	PUT8(0)
	PUT8(32)
	TESTQ     AX, AX
	JZ        next
	ADDQ      $32, DI

more:
	ADDQ  $32, DI
	PUT8(0)
	TESTQ AX, AX
	JNZ   more

next:
	MOVQ R12, DI
	ADDL $64, R10
	ADDQ $64, SI
	DECQ CX
	JNZ  word

	SUBQ      R11, DI
	SHRQ      $2, DI
	MOVQ      DI, count+24(FP)
	VPMOVMSKB Y4, AX
	XORL      DX, DX
	TESTL     AX, AX
	SETNE     DX
	VPXOR     Y5, Y5, Y5
	VPCMPEQB  Y5, Y12, Y12
	VPMOVMSKB Y12, AX
	XORL      BX, BX
	TESTL     AX, AX
	SETNE     BX
	LEAQ      (DX)(BX*2), DX
	MOVQ      DX, has+32(FP)
	VZEROUPPER
	RET

// Where each of 64 bytes is.
DATA places<>+0(SB)/8, $0x0706050403020100
DATA places<>+8(SB)/8, $0x0f0e0d0c0b0a0908
DATA places<>+16(SB)/8, $0x1716151413121110
DATA places<>+24(SB)/8, $0x1f1e1d1c1b1a1918
DATA places<>+32(SB)/8, $0x2726252423222120
DATA places<>+40(SB)/8, $0x2f2e2d2c2b2a2928
DATA places<>+48(SB)/8, $0x3736353433323130
DATA places<>+56(SB)/8, $0x3f3e3d3c3b3a3938
GLOBL places<>(SB), RODATA|NOPTR, $64

// func markWide(list *[512]uint32, span *[512]byte, base uint32) (count, has int)
//
// The processor itself lists which of 64 places are marked. Sixteen of them are written at once, and all
// if there are more.
TEXT ·markWide(SB), NOSPLIT, $0-40
	MOVQ         list+0(FP), DI
	MOVQ         span+8(FP), SI
	MOVL         base+16(FP), R10
	MOVL         $0xfc, AX
	VPBROADCASTB AX, Z0
	MOVL         $0x3c, AX
	VPBROADCASTB AX, Z1
	MOVL         $0x22, AX
	VPBROADCASTB AX, Z2
	MOVL         $0x0d, AX
	VPBROADCASTB AX, Z3
	MOVL         $0x26, AX
	VPBROADCASTB AX, Z4
	MOVL         $64, AX
	VPBROADCASTD AX, Z11
	VPBROADCASTD R10, Z10                // where the word begins
	VMOVDQU64    places<>(SB), Z12
	KXORQ        K5, K5, K5              // carriage returns so far
	KXORQ        K6, K6, K6              // zero bytes so far
	MOVQ         DI, R11
	MOVQ         $8, CX

word:
	VMOVDQU64  0(SI), Z5
	VPANDQ     Z0, Z5, Z6
	VPCMPEQB   Z1, Z6, K1
	VPCMPEQB   Z2, Z5, K2
	VPCMPEQB   Z4, Z5, K3
	VPCMPEQB   Z3, Z5, K4
	KORQ       K1, K2, K1
	KORQ       K4, K5, K5
	VPTESTNMB  Z5, Z5, K4
	KORQ       K1, K3, K1
	KORQ       K4, K6, K6
	KMOVQ      K1, AX
	POPCNTQ    AX, R8
	VPCOMPRESSB.Z Z12, K1, Z7
	VPMOVZXBD  X7, Z8
	VPADDD     Z10, Z8, Z8
	VMOVDQU32  Z8, 0(DI)
	CMPQ       R8, $16
	JLE        next
	VEXTRACTI32X4 $1, Z7, X8
	VPMOVZXBD  X8, Z8
	VPADDD     Z10, Z8, Z8
	VMOVDQU32  Z8, 64(DI)
	VEXTRACTI32X4 $2, Z7, X8
	VPMOVZXBD  X8, Z8
	VPADDD     Z10, Z8, Z8
	VMOVDQU32  Z8, 128(DI)
	VEXTRACTI32X4 $3, Z7, X8
	VPMOVZXBD  X8, Z8
	VPADDD     Z10, Z8, Z8
	VMOVDQU32  Z8, 192(DI)

next:
	LEAQ   (DI)(R8*4), DI
	VPADDD Z11, Z10, Z10
	ADDQ   $64, SI
	DECQ   CX
	JNZ    word

	SUBQ     R11, DI
	SHRQ     $2, DI
	MOVQ     DI, count+24(FP)
	XORL     DX, DX
	KORTESTQ K5, K5
	SETNE    DX
	XORL     BX, BX
	KORTESTQ K6, K6
	SETNE    BX
	LEAQ     (DX)(BX*2), DX
	MOVQ     DX, has+32(FP)
	VZEROUPPER
	RET
